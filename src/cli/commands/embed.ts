import { createEmbeddingOpenAi } from '../../api/openai/embeddings/embedding-schema.ts';
import { listModels } from '../../api/v1/models/model-schema.ts';
import { suggestingModel } from '../check-model.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { clientOptions, flag, rest, text } from '../option.ts';
import { readStandardInput } from '../standard-input.ts';

export const embed = defineCommand({
  positionals: { text: rest('Texts to embed (default: standard input)') },
  options: {
    model: text('-m, --model <model>', 'Embedding model (default: the only one)'),
    lines: flag('--lines', 'Embed each line of the standard input'),
    ...clientOptions,
  },
  examples: [
    'hearth embed -m hearth/starter-embed "The sea is calm."',
    'hearth embed -m hearth/starter-embed --lines < sentences.txt > vectors.jsonl',
  ],
  async run({ context, options, positionals }) {
    const { terminal, signal } = context;
    const input = await readTexts(context, positionals.text, options.lines === true);
    const client = await connect(context, options);
    const model = options.model ?? (await findEmbeddingModel(client, signal));
    const result = await client
      .call(createEmbeddingOpenAi, { body: { model, input } }, signal)
      .catch(suggestingModel(client, model, signal));
    if (options.json === true) {
      terminal.output.json(result);
      return;
    }
    // Writes one vector per line as JSON, for other programs.
    for (const { embedding } of result.data) terminal.output.line(JSON.stringify(embedding));
  },
});

async function readTexts(
  { stdin, terminal, signal }: CommandContext,
  texts: readonly string[],
  isByLine: boolean,
): Promise<string[]> {
  if (texts.length > 0) {
    if (isByLine)
      throw new UsageError('--lines reads standard input and cannot be combined with texts.');
    return [...texts];
  }
  if (stdin.isTTY === true)
    throw new UsageError('No text. Pass texts as arguments, or pipe them in.');
  const piped = await readStandardInput(stdin, terminal.messages, signal);
  const read = isByLine ? piped.split(/\r?\n/).filter((line) => line.trim() !== '') : [piped];
  if (read.length === 0 || read[0] === '') {
    throw new UsageError(
      'The standard input has no text. Pass texts as arguments, or pipe them in.',
    );
  }
  return read;
}

/** @throws UsageError if there is no embedding model, or several. */
async function findEmbeddingModel(client: Client, signal: AbortSignal): Promise<string> {
  const { models } = await client.call(listModels, {}, signal);
  const keys = models.filter(({ type }) => type === 'embedding').map(({ key }) => key);
  const [only] = keys;
  if (only === undefined) {
    throw new UsageError('There is no embedding model. Find one with `hearth search embedding`.');
  }
  if (keys.length > 1) throw new UsageError(`Choose a model with -m: ${keys.join(', ')}.`);
  return only;
}
