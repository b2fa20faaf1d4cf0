import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { runHearth } from '../../../setup/cli/run-hearth.ts';
import { writeScriptedEngine } from '../../../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../../../setup/engine/scripted-llama-server.ts';
import { useHearth } from '../../../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../../../setup/temporary-folder.ts';
import { environmentFolder } from '../../environment-folder.ts';

/** Aider edits a file, as `hearth launch aider --run` starts it; a script stands in for the model. */
const hearth = useHearth(async (home) => ({
  flags: [`--engine-llama-server=${await writeScriptedEngine(home, 65_536)}`],
}));
const folder = useTemporaryFolder();

it('chats in a stream, and edits a file by its answer', async () => {
  const path = join(folder.path, 'greeting.txt');
  await writeFile(path, 'Hello, wrld!\n');
  const answer = `${path}\n\`\`\`\nHello, world!\n\`\`\`\n`;
  const script: readonly ScriptedGeneration[] = [{ text: answer }];
  const options =
    '--yes-always --no-git --no-check-update --no-show-model-warnings --no-show-release-notes --analytics-disable --no-pretty --no-detect-urls';
  const histories = ['chat', 'input'].flatMap((kind) => [
    `--${kind}-history-file`,
    join(folder.path, kind),
  ]);
  const prompt = `Fix the spelling: ${JSON.stringify(script)}`;
  const outcome = await runHearth(
    [...`launch aider --run -- ${options}`.split(' '), ...histories, '--message', prompt, path],
    {
      home: hearth.home,
      environment: {
        HOME: folder.path,
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
        PATH: [join(environmentFolder('python/aider/'), 'bin'), process.env['PATH']].join(
          delimiter,
        ),
      },
    },
  );
  expect(await readFile(path, 'utf8'), outcome.stdout + outcome.stderr).toBe('Hello, world!\n');
  expect(outcome.exitCode).toBe(0);
});
