import { join } from 'node:path';
import { expect, it } from 'vitest';
import { permissionSchema } from '../../../src/kernel/permission.ts';
import { starterPath } from '../../setup/engine/test-engines.ts';
import { startFakeHub } from '../../setup/hub/fake-hub.ts';
import { projectFolder } from '../../setup/project-folder.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { withTokens } from '../../setup/server/with-tokens.ts';
import { useResource } from '../../setup/use-resource.ts';
import { run } from '../run.ts';

/**
 * Compares the server with docs/openapi.json. Endpoints of Anthropic and Ollama are left out: their requests have
 * alternatives and rules between messages that the document can't express.
 */
const otherVendors =
  '^/(v1/messages|api/(version|tags|ps|show|chat|generate|embed|embeddings|pull|delete|copy)($|/))';

const excludedOperations = [
  // Left out, since it would download runtimes.
  'installRuntime',
  // Left out, since all tests share the folder of runtimes.
  'selectRuntime',
  'removeRuntime',
  // Left out, since they would run commands, or change the server for other requests.
  'testMcpServer',
  'callMcpTool',
  'changeSettings',
  // Left out, since they do not end.
  'streamEvents',
  'streamLog',
];

const hub = useResource(() =>
  startFakeHub({
    repositories: [
      { name: 'acme/Chat-GGUF', files: { 'chat-Q8_0.gguf': { filePath: starterPath('chat') } } },
    ],
  }),
);
let token = '';
const hearth = useHearth(async (home) => {
  ({ token } = await withTokens(home, (tokens) =>
    tokens.create({ name: 'schemathesis', permissions: permissionSchema.options }),
  ));
  return {
    // A small context, since random settings make the model write until it is full. `fuzz_hooks.py` does the same for
    // loads.
    flags: ['--auth-required', '--engine-context-length', '256'],
    environment: { HEARTH_HUB_ENDPOINT: hub.url },
  };
});

/** Number of requests of each kind; by default as in `schemathesis.toml`, which takes two minutes on an idle machine. */
const examples = process.env['SCHEMATHESIS_EXAMPLES'];
const timeout = examples === undefined ? 900_000 : 7_200_000;

it('has no differences but those of the baseline', { timeout }, async () => {
  const folder = import.meta.dirname;
  const update = process.env['SCHEMATHESIS_UPDATE'] === undefined ? [] : ['--baseline-update'];
  const output = await run(
    'st',
    [
      `--config-file=${join(folder, 'schemathesis.toml')}`,
      'run',
      join(projectFolder, 'docs/openapi.json'),
      `--url=${hearth.url}`,
      `--header=Authorization: Bearer ${token}`,
      `--exclude-path-regex=${otherVendors}`,
      ...excludedOperations.map((id) => `--exclude-operation-id=${id}`),
      '--checks=all',
      '--max-response-time=60',
      `--baseline=${join(folder, 'baseline.json')}`,
      '--no-color',
      ...(examples === undefined ? [] : [`--max-examples=${examples}`]),
      ...update,
    ],
    { SCHEMATHESIS_HOOKS: join(folder, 'fuzz_hooks.py') },
    examples === undefined ? undefined : timeout,
  );
  expect(output).toContain('Tested: ');
  console.info(output.slice(output.indexOf('SUMMARY')));
});
