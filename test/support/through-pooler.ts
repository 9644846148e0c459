/** Jest's setup of a test file whose services reach the database through a pooler in transaction mode. See `startApp`. */
Object.assign(globalThis, { isPooled: true });
