// The services of a test file get a key provider, and each call to them begins without a key in memory.
Object.assign(globalThis, { hasColdKeys: true });
