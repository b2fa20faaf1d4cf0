/**
 * Node.js options for a background server, which many clients may use at once. With the default of 16 MiB, most new
 * objects of running streams are still in use when young objects are collected, so they are copied each time: half the
 * CPU time of 1,000 streams (docs/scaling.md). A server with few streams does not use the memory. Node.js reads the
 * option only at startup. `deploy/Dockerfile` and `npm start` have it, too.
 */
export const serverNodeOptions: readonly string[] = ['--max-semi-space-size=64'];
