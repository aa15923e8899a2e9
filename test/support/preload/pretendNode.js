// Preloaded into a process (node --require), makes its Node say that it is the version in `PRETENDED_NODE`.
Object.defineProperty(process, "versions", { value: { ...process.versions, node: process.env.PRETENDED_NODE } });
