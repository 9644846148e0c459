/**
 * The orphan sends SIGINT when the parent ends, because the kernel then closes the other end of descriptor 3. It is no child: a PostgreSQL
 * whose own child is killed would assume a crash.
 */
export const ENDS_WITH_PARENT = 'exec 3<&0 </dev/null; ((read -r _; kill -INT $$) <&3 2>/dev/null &); exec "$@" 3<&-';
