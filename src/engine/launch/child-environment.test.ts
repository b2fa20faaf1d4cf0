import { expect, it } from 'vitest';
import { childEnvironment } from './child-environment.ts';

it('passes only the variables that an engine needs', () => {
  const environment = childEnvironment(
    { PATH: '/bin', HUB_TOKEN: 'secret', NODE_OPTIONS: '--x', LLAMA_ARG_MODEL: 'other' },
    'key',
  );
  expect(environment).toMatchObject({ PATH: '/bin', LLAMA_API_KEY: 'key', GOMP_SPINCOUNT: '300' });
  expect(environment).toMatchObject({ GGML_NO_BACKTRACE: '1' });
  expect(Object.keys(environment)).not.toContain('HUB_TOKEN');
  expect(Object.keys(environment)).not.toContain('NODE_OPTIONS');
  expect(Object.keys(environment)).not.toContain('LLAMA_ARG_MODEL');
});
