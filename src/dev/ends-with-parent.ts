/**
 * When the parent ends, the kernel closes descriptor 3 and the orphan sends SIGINT. It is no child of PostgreSQL, which would treat
 * the death of its child as a crash.
 */
export const ENDS_WITH_PARENT = 'exec 3<&0 </dev/null; ((read -r _; kill -INT $$) <&3 2>/dev/null &); exec "$@" 3<&-';
