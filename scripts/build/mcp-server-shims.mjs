// Replaces the validator of the MCP SDK, which would be a second copy of ajv. Only servers that ask their client's user
// for input need it.
export { default as process } from 'node:process';

export function DefaultJsonSchemaValidator() {}
