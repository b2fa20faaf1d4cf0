import { join } from 'node:path';
import { expect } from 'vitest';
import { projectFolder } from '../../setup/project-folder.ts';
import { testClientProgram } from '../client-program.ts';

/** Clients in Go; `main.go` names them. */
const builtFile = join(projectFolder, '.cache/clients/go/clients');
const common = ['models', 'chat', 'stream', 'tools', 'structured output'] as const;

testClientProgram({
  name: 'openai-go',
  builtFile,
  commandLine: ['openai-go'],
  paths: [...common, 'embeddings', 'responses', 'abort'],
  errors: [
    { status: 404, code: 'model_not_found' },
    { status: 400, param: 'temperature' },
    { status: 400, code: 'context_length_exceeded' },
  ],
});

testClientProgram({
  name: 'anthropic-sdk-go',
  builtFile,
  commandLine: ['anthropic-sdk-go'],
  paths: [...common, 'counted tokens', 'abort'],
  errors: [
    { status: 404, type: 'not_found_error' },
    { status: 400, type: 'invalid_request_error' },
    { status: 400, type: 'invalid_request_error' },
  ],
});

testClientProgram({
  name: 'ollama api',
  builtFile,
  commandLine: ['ollama api'],
  paths: [...common, 'shown model', 'embeddings', 'abort'],
  errors: [{ status: 404 }, { status: 400 }],
});

testClientProgram({
  name: 'mcp go-sdk',
  builtFile,
  commandLine: ['mcp go-sdk'],
  paths: ['models', 'chat', 'embeddings', 'abort'],
  errors: ['model_not_found', 'invalid_value', 'context_length_exceeded'].map((code) => ({
    failure: expect.stringContaining(`(${code})`),
  })),
});
