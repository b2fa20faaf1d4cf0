import { listModels, type V1Model } from '../../api/v1/models/model-schema.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { connectionOptions, jsonOption } from '../option.ts';
import { formatBytes, formatCount } from '../../kernel/format.ts';
import { writeTable } from '../ui/table.ts';

export const ls = defineCommand({
  options: { ...jsonOption, ...connectionOptions },
  examples: ['hearth ls', 'hearth ls --json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const { models } = await client.call(listModels, {}, context.signal);
    const { output, messages } = context.terminal;
    const sorted = models.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    if (options.json === true) {
      output.json({ models: sorted });
    } else if (sorted.length === 0) {
      messages.line(
        'No models. Download one with `hearth get`, or import one with `hearth import FILE.gguf`.',
      );
    } else {
      writeTable<V1Model>(
        output,
        [
          { title: 'MODEL', value: ({ key }) => key },
          { title: 'TYPE', dropOrder: 3, value: typeOf },
          { title: 'ARCHITECTURE', dropOrder: 1, value: ({ architecture }) => architecture ?? '-' },
          { title: 'QUANT', dropOrder: 4, value: ({ quantization }) => quantization?.name ?? '-' },
          {
            title: 'SIZE',
            dropOrder: 6,
            value: ({ format, size_bytes: bytes }) =>
              format === null ? 'remote' : formatBytes(bytes),
            isNumber: true,
          },
          {
            title: 'CONTEXT',
            dropOrder: 2,
            value: (model) => formatCount(model.max_context_length),
            isNumber: true,
          },
          {
            title: 'LOADED',
            dropOrder: 5,
            value: (model) => model.loaded_instances.map(({ id }) => id).join(', ') || '-',
          },
        ],
        sorted,
      );
    }
  },
});

/** Distinguishes vision models, like v0. */
function typeOf({ type, capabilities }: V1Model): string {
  return type === 'llm' && capabilities?.vision === true ? 'vlm' : type;
}
