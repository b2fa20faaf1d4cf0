/**
 * Options of Node.js for a server in the background, which many may use at once. The running streams keep alive what they made
 * last, so that with the default of 16 MiB the collections of young objects copy most of them: half the CPU time of
 * 1,000 streams (docs/scaling.md). A server with few streams does not use the memory. Node.js reads the option only when it
 * starts. `deploy/Dockerfile` and `npm start` have it as well.
 */
export const serverNodeOptions: readonly string[] = ['--max-semi-space-size=64'];
