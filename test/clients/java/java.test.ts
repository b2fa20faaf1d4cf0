import { delimiter, join } from 'node:path';
import { projectFolder } from '../../setup/project-folder.ts';
import { testClientProgram } from '../client-program.ts';

/** Clients in Java; `Program.java` names them. */
const folder = join(projectFolder, '.cache/clients/java');
const classPath = [join(folder, 'classes'), join(folder, 'dependency/*')].join(delimiter);
const java = (name: string) => ({
  name,
  builtFile: join(folder, 'classes/Program.class'),
  program: 'java',
  commandLine: ['-cp', classPath, 'Program', name],
});
const common = ['chat', 'stream', 'tools', 'structured output', 'abort'] as const;

testClientProgram({
  ...java('openai-java'),
  paths: ['models', ...common, 'embeddings', 'responses'],
  errors: [
    { status: 404, code: 'model_not_found' },
    { status: 400, param: 'temperature' },
    { status: 400, code: 'context_length_exceeded' },
  ],
});

testClientProgram({
  ...java('anthropic-java'),
  paths: ['models', ...common, 'counted tokens'],
  errors: [
    { status: 404, type: 'not_found_error' },
    { status: 400, type: 'invalid_request_error' },
    { status: 400, type: 'invalid_request_error' },
  ],
});

for (const api of ['openai', 'ollama']) {
  testClientProgram({
    ...java(`langchain4j-${api}`),
    paths: [...common, 'embeddings'],
    errors: [
      { status: 404, type: 'ModelNotFoundException' },
      { status: 400, type: 'InvalidRequestException' },
    ],
  });
}
