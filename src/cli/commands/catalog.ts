import {
  type CatalogStateRecord,
  getCatalog,
  refreshCatalog,
  resetCatalog,
  setCatalogSource,
} from '../../api/v1/models/catalog-source-schema.ts';
import { formatNumberOf } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { type CommandContext, defineCommand, type OptionValues } from '../command.ts';
import { UsageError } from '../failure.ts';
import { clientOptions, required, text } from '../option.ts';
import { writeResult } from '../ui/result.ts';

type Options = OptionValues<typeof clientOptions>;

async function show(
  context: CommandContext,
  options: Options,
  ask: (client: Client) => Promise<CatalogStateRecord>,
): Promise<void> {
  const state = await ask(await connect(context, { ...options, isForAdmin: true }));
  writeResult(context.terminal, options, state, describe(state));
}

function describe({ source, version, model_count, checked_at }: CatalogStateRecord): string {
  const count = formatNumberOf(model_count, 'model');
  if (source === undefined) return `The catalog that ships with Hearth: ${count}`;
  const checked = checked_at === undefined ? '' : `, read ${checked_at.slice(0, 16)}Z`;
  return `${printable(source.url)}: ${count} of ${version ?? ''}${checked}`;
}

export const catalogShow = defineCommand({
  options: clientOptions,
  examples: ['hearth catalog show', 'hearth catalog show --json'],
  run: ({ context, options }) =>
    show(context, options, (client) => client.call(getCatalog, {}, context.signal)),
});

export const catalogSet = defineCommand({
  positionals: {
    url: required('Address of the list; its signature is at the same path plus .sig'),
  },
  options: {
    key: text('--key <key>', 'Ed25519 public key of the signature, in Base64'),
    ...clientOptions,
  },
  examples: [
    'hearth catalog set https://example.com/catalog.json --key GyJrJC8rBzsE0yt1Ww8cWBsJPaRV0K8ygIJsEIkTWSE=',
  ],
  run: ({ context, options, positionals: { url } }) => {
    const { key } = options;
    if (key === undefined) {
      throw new UsageError('Name the key of the signature: `hearth catalog set URL --key KEY`.');
    }
    return show(context, options, (client) =>
      client.call(setCatalogSource, { body: { url, key } }, context.signal),
    );
  },
});

export const catalogRefresh = defineCommand({
  options: clientOptions,
  examples: ['hearth catalog refresh'],
  run: ({ context, options }) =>
    show(context, options, (client) => client.call(refreshCatalog, {}, context.signal)),
});

export const catalogReset = defineCommand({
  options: clientOptions,
  examples: ['hearth catalog reset'],
  run: ({ context, options }) =>
    show(context, options, (client) => client.call(resetCatalog, {}, context.signal)),
});
