import { searchCatalog } from '../../api/v1/models/catalog-schema.ts';
import {
  getHubRepository,
  type HubRepositoryRecord,
} from '../../api/v1/downloads/hub-repository-schema.ts';
import { formatBytes, formatCount } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { describeLicense } from '../check-model.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { writeCatalog, describeFit } from '../download/catalog-table.ts';
import { CommandError } from '../failure.ts';
import { choice, clientOptions, integer, rest } from '../option.ts';
import { writeFields, writeTable } from '../ui/table.ts';
import type { TerminalStream } from '../ui/terminal.ts';

export const search = defineCommand({
  positionals: {
    words: rest(
      'Words to search for, or owner/name of a repository (default: list the built-in catalog)',
    ),
  },
  options: {
    source: choice('--source <hub>', 'Where to search (default: hub)', ['hub', 'modelscope']),
    limit: integer('--limit <models>', 'Maximum number of models (default: 20)', 1, 100),
    ...clientOptions,
  },
  examples: [
    'hearth search qwen instruct',
    'hearth search Qwen/Qwen3-4B-GGUF',
    'hearth search --source modelscope qwen3',
  ],
  async run({ context, options, positionals }) {
    const { terminal, signal } = context;
    const { output, messages } = terminal;
    const words = positionals.words.join(' ').trim();
    const { source = 'hub' } = options;
    const client = await connect(context, options);
    const [owner, name, ...others] = words.split('/');
    if (owner !== undefined && name !== undefined && others.length === 0 && !/\s/.test(words)) {
      const request = { params: { owner, name }, query: { source } };
      const page = await client.call(getHubRepository, request, signal);
      if (options.json === true) output.json(page);
      else writeRepository(output, page);
      return;
    }
    const query = {
      source,
      limit: options.limit ?? 20,
      ...(words === '' ? {} : { search: words }),
    };
    const list = await client.call(searchCatalog, { query }, signal);
    if (list.warning !== undefined) messages.line(printable(list.warning.message));
    if (options.json === true) {
      output.json(list);
      return;
    }
    if (list.models.length === 0) {
      throw new CommandError(
        `No model matches ${JSON.stringify(printable(words))}. Try fewer words, or owner/name of a repository.`,
      );
    }
    writeCatalog(output, list.models);
    messages.line('Download one with `hearth get MODEL`.');
  },
});

function writeRepository(output: TerminalStream, page: HubRepositoryRecord): void {
  writeFields(output, [
    ['Repository', page.repository],
    ['URL', page.url],
    ['License', describeLicense({ ...page, license: page.license ?? undefined })],
    ['Downloads', page.downloads === null ? undefined : formatCount(page.downloads)],
    ['Updated', page.updated_at?.slice(0, 10)],
    ['Gated', page.gated ? 'yes: accept its terms on the hub, and set hub.token' : undefined],
    ['Tags', page.tags.slice(0, 12).join(', ') || undefined],
  ]);
  output.line();
  if (page.builds.length === 0) {
    output.line('It has no files that Hearth can run.');
    return;
  }
  writeTable(
    output,
    [
      {
        title: 'QUANT',
        value: (build) => `${build.quantization ?? '-'}${build.default ? ' *' : ''}`,
      },
      { title: 'SIZE', value: (build) => formatBytes(build.size_bytes), isNumber: true },
      { title: 'FILES', dropOrder: 1, value: ({ files }) => String(files.length), isNumber: true },
      {
        title: 'MEMORY',
        dropOrder: 2,
        value: (build) => formatBytes(build.estimated_bytes),
        isNumber: true,
      },
      { title: 'FITS', value: ({ fits }) => describeFit(fits) },
      { title: 'COMPLETE', dropOrder: 3, value: ({ complete }) => (complete ? 'yes' : 'no') },
    ],
    page.builds,
  );
}
