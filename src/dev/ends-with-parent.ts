/**
 * A shell that becomes the program which its arguments name. Its orphan stops that by SIGINT when the process that started it
 * ends, because the kernel closes the other end of descriptor 3 then. An orphan, because a PostgreSQL whose own child is
 * killed would assume a crash.
 */
export const ENDS_WITH_PARENT = 'exec 3<&0 </dev/null; ((read -r _; kill -INT $$) <&3 2>/dev/null &); exec "$@" 3<&-';
