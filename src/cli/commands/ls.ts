import type * as z from 'zod';
import { listAdapters } from '../../api/v1/models/adapter-schema.ts';
import { listModels, type V1Model } from '../../api/v1/models/model-schema.ts';
import { defineCommand } from '../command.ts';
import { connect } from '../client/connect.ts';
import { clientOptions } from '../option.ts';
import { formatBytes, formatCount, formatDuration } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { writeFields, writeTable } from '../ui/table.ts';
import { getStatus } from '../../api/v1/server/status-schema.ts';
import type { TerminalStream } from '../ui/terminal.ts';
import { writeInstances } from '../ui/instance-table.ts';

export const ls = defineCommand({
  options: clientOptions,
  examples: ['hearth ls', 'hearth ls --json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const [{ models }, { adapters }] = await Promise.all([
      client.call(listModels, {}, context.signal),
      client.call(listAdapters, {}, context.signal),
    ]);
    const { output, messages } = context.terminal;
    const sorted = models.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    if (options.json === true) {
      output.json({ models: sorted, adapters });
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
            value: sizeOf,
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
    if (options.json !== true && adapters.length > 0) writeAdapters(output, adapters);
  },
});

type ListedAdapter = z.infer<typeof listAdapters.result>['adapters'][number];

function writeAdapters(output: TerminalStream, adapters: readonly ListedAdapter[]): void {
  output.line();
  writeTable<ListedAdapter>(
    output,
    [
      { title: 'ADAPTER', value: ({ key }) => key },
      { title: 'RANK', dropOrder: 1, value: ({ rank }) => String(rank), isNumber: true },
      {
        title: 'SIZE',
        dropOrder: 2,
        value: (each) => formatBytes(each.size_bytes),
        isNumber: true,
      },
      { title: 'FOR', value: ({ models, base_model: base }) => models.join(', ') || (base ?? '-') },
    ],
    adapters,
  );
}

/** The size; profiles have no files of their own. */
function sizeOf({ base, format, size_bytes: bytes }: V1Model): string {
  if (base !== undefined) return '-';
  return format === null ? 'remote' : formatBytes(bytes);
}

/** The displayed type, which distinguishes vision models, as in v0, and profiles. */
function typeOf({ type, base, capabilities }: V1Model): string {
  if (base !== undefined) return 'profile';
  return type === 'llm' && capabilities?.vision === true ? 'vlm' : type;
}

export const ps = defineCommand({
  options: clientOptions,
  examples: ['hearth ps', 'hearth ps --json'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const { instances } = await client.call(getStatus, {}, context.signal);
    const { output, messages } = context.terminal;
    if (options.json === true) output.json({ instances });
    else if (instances.length === 0) messages.line('No models are loaded.');
    else {
      writeInstances(output, instances);
      for (const { id, changed_settings: changed = [] } of instances) {
        if (changed.length === 0) continue;
        messages.line(
          `${printable(id)} was loaded with other settings: ${changed.join(', ')}. They take effect with its next load.`,
        );
      }
    }
  },
});

export const status = defineCommand({
  options: clientOptions,
  examples: ['hearth status', 'hearth status --host http://192.168.1.5:1234'],
  async run({ context, options }) {
    const client = await connect(context, options);
    const server = await client.call(getStatus, {}, context.signal);
    const { output } = context.terminal;
    if (options.json === true) {
      output.json({ url: client.baseUrl, ...server });
      return;
    }
    const { runtime, memory, instances } = server;
    const engineBytes = instances.reduce((sum, each) => sum + (each.resident_bytes ?? 0), 0);
    const upSeconds = Math.max(0, (Date.now() - Date.parse(server.started_at)) / 1000);
    writeFields(output, [
      ['Server', `${client.baseUrl} (pid ${server.pid}, up ${formatDuration(upSeconds)})`],
      ['Version', server.version],
      ['Home', server.home],
      ['Runtime', runtime === null ? 'none' : `${runtime.name} ${runtime.version}`],
      [
        'Memory',
        `${formatBytes(memory.resident_bytes)} server, ${formatBytes(engineBytes)} engines, ${formatBytes(memory.available_bytes)} available`,
      ],
      ['Loaded', instances.length === 0 ? 'no models' : undefined],
    ]);
    if (instances.length > 0) {
      output.line();
      writeInstances(output, instances);
    }
  },
});
