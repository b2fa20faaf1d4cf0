import { deleteModel, getModel } from '../../api/v1/models/model-schema.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { clientOptions, flag, required } from '../option.ts';
import { confirm } from '../ui/ask.ts';
import { writeResult } from '../ui/result.ts';
import { formatBytes } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';

export const rm = defineCommand({
  positionals: { model: required('Model key; with @quantization, only that variant') },
  options: {
    yes: flag('-y, --yes', 'Do not ask for confirmation'),
    ...clientOptions,
  },
  examples: ['hearth rm local/my-model', 'hearth rm local/my-model@q4_k_m --yes'],
  async run({ context, options, positionals: { model } }) {
    const { signal, stdin, terminal } = context;
    const client = await connect(context, options);
    if (options.yes !== true) {
      if (stdin.isTTY !== true || !terminal.messages.isInteractive)
        throw new UsageError(
          'Confirmation needs a terminal. To delete without confirmation, use --yes.',
        );
      const question = `Delete ${await describe(client, model, signal)} from disk?`;
      if (!(await confirm(question, stdin, terminal.messages, signal))) {
        terminal.messages.line('Nothing was deleted.');
        return 1;
      }
    }
    const result = await client.call(deleteModel, { params: { model } }, signal);
    const line = `Deleted ${printable(result.model)}, freed ${formatBytes(result.freed_bytes)}`;
    writeResult(terminal, options, result, line);
    return 0;
  },
});

/** Describes the model for the question: its full key, with its size or its number of variants. */
async function describe(client: Client, model: string, signal: AbortSignal): Promise<string> {
  try {
    const found = await client.call(getModel, { params: { model } }, signal);
    const { key, selected_variant: selected, size_bytes: sizeBytes, variants = [] } = found;
    if (variants.length < 2) return `${printable(key)} (${formatBytes(sizeBytes)})`;
    return selected !== undefined && model.includes('@')
      ? `${printable(selected)} (${formatBytes(sizeBytes)})`
      : `${printable(key)} with all its ${variants.length} variants`;
  } catch (error) {
    // A corrupt model can still be deleted.
    if (error instanceof ApiError && error.code === 'corrupt_file') return printable(model);
    throw error;
  }
}
