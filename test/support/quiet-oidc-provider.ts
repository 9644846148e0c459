// To be imported before the library: it asks for a newer Node than this project, in red and at each start, and works on both.
const { warn } = console;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...words);
};
