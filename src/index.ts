export { HearthError, type ErrorCode } from './contract/errors.ts';
export { startServer, type RunningServer, type ServeOptions } from './serve.ts';
