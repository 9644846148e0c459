// What files share that are loaded into a process of the service before its own code (`node --import`) and end it at a place: they wrap
// methods of the built classes, because the service has no hooks for it. The parent process arms a place by a message.
import 'reflect-metadata';
import { writeSync } from 'node:fs';

/** A module of the built service. */
export const built = (path) => import(new URL(`../../dist/src/${path}`, import.meta.url).href);

/** The armed place and its variant; undefined after it was reached. */
export const arming = { current: undefined };

process.on('message', (message) => (arming.current = message));
process.on('disconnect', () => process.exit());
process.channel.unref();

export function report(fields) {
  writeSync(1, `\n${JSON.stringify(fields)}\n`);
}

/** Ends this process by SIGKILL if the place is armed; with the variant `stop` it stops the process by SIGSTOP, once. */
export function reached(place, variant, fields = { inFlight: 0 }) {
  const armed = arming.current;
  if (armed?.place !== place || (variant && armed.variant !== variant)) return;
  const isStopped = armed.variant === 'stop';
  report({ msg: isStopped ? 'stopped' : 'killed', place, variant: armed.variant, ...fields });
  arming.current = undefined;
  process.kill(process.pid, isStopped ? 'SIGSTOP' : 'SIGKILL');
}

/** `around` gets the original method, bound to the object, and its arguments. */
export function wrap({ prototype }, method, around) {
  const original = prototype[method];
  if (typeof original !== 'function') throw new Error(`There is no method ${method} to wrap.`);
  prototype[method] = function (...args) {
    return around.call(this, original.bind(this), ...args);
  };
}
