// Stands for the validator of the MCP SDK, a second copy of ajv: only servers that ask their client's user use it.
export { default as process } from 'node:process';

export function DefaultJsonSchemaValidator() {}
