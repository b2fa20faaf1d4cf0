import {
  createLink,
  createLinkOffer,
  defaultLinkPort,
  type LinkedMachine,
  type LinkList,
  listLinks,
  removeLink,
} from '../../api/v1/links/link-schema.ts';
import { formatMinute, formatNumberOf } from '../../kernel/format.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { printable } from '../../kernel/printable.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../failure.ts';
import { connectionOptions, integer, jsonOption, required, text } from '../option.ts';
import { writeList } from '../ui/result.ts';

const options = { ...connectionOptions, ...jsonOption };

export const linkOffer = defineCommand({
  options,
  examples: ['hearth link offer'],
  async run({ context, options: { json, ...connection } }) {
    const client = await connect(context, { ...connection, isForAdmin: true });
    const offer = await client.call(createLinkOffer, {}, context.signal);
    const { output, messages } = context.terminal;
    if (json === true) return output.json(offer);
    const { code, host, port } = offer;
    output.line(code);
    const address = host ?? 'ADDRESS-OF-THIS-MACHINE';
    const at = port === defaultLinkPort ? address : `${address}:${port}`;
    messages.line('The code links one machine, within 10 minutes. Run on the other machine:');
    messages.line(`  hearth link add ${at} ${code}`);
    messages.line(`If a firewall is active here, allow port ${port} (TCP).`);
  },
});

export const linkAdd = defineCommand({
  positionals: {
    machine: required('Host name or address of the other machine, optionally with :port'),
    code: required('Code of `hearth link offer` on that machine'),
  },
  options: {
    name: text('--name <name>', 'Name of the machine (default: its own name)'),
    port: integer('--port <port>', 'Port for links (default: 1235)', 1, 65_535),
    ...options,
  },
  examples: [
    'hearth link add 192.168.1.20 M5WJ0-6SZ3B-8K1QT-0YV2D-4R7XN-9CHGE',
    'hearth link add tower.local M5WJ0-6SZ3B-8K1QT-0YV2D-4R7XN-9CHGE --name gpu-box',
  ],
  async run({ context, options: { json, name, port, ...connection }, positionals }) {
    const { host, port: named } = parseMachine(positionals.machine);
    const body = { host, code: positionals.code, ...omitUndefined({ name, port: port ?? named }) };
    const client = await connect(context, { ...connection, isForAdmin: true });
    const linked = await client.call(createLink, { body }, context.signal);
    const { output, messages } = context.terminal;
    if (json === true) return output.json(linked);
    output.line(`Linked ${linked.name}`);
    messages.line(`${describeState(linked)}. \`hearth ls\` lists the models of both machines.`);
  },
});

/** @throws UsageError */
export function parseMachine(machine: string): {
  readonly host: string;
  readonly port: number | undefined;
} {
  const isBareIpv6 = machine.split(':').length > 2 && !machine.startsWith('[');
  const url = `https://${isBareIpv6 ? `[${machine}]` : machine}`;
  if (!URL.canParse(url)) throw new UsageError(`"${machine}" is not a host such as 192.168.1.20.`);
  const [, port] = /:(\d+)$/u.exec(isBareIpv6 ? '' : machine) ?? [];
  return {
    host: new URL(url).hostname.replaceAll(/[[\]]/gu, ''),
    // Not the port of the URL, which omits 443.
    port: port === undefined ? undefined : Number(port),
  };
}

interface Row {
  readonly name: string;
  readonly direction: 'to' | 'from';
  readonly address: string;
  readonly state: string;
}

export const linkLs = defineCommand({
  options,
  examples: ['hearth link ls', 'hearth link list --json'],
  async run({ context, options: { json, ...connection } }) {
    const client = await connect(context, { ...connection, isForAdmin: true });
    const links = await client.call(listLinks, {}, context.signal);
    const { terminal } = context;
    writeList<Row>(
      terminal,
      { json },
      {
        result: links,
        rows: toRows(links),
        columns: [
          { title: 'NAME', value: ({ name }) => name },
          { title: 'DIRECTION', value: ({ direction }) => direction },
          { title: 'ADDRESS', dropOrder: 1, value: ({ address }) => address },
          { title: 'STATE', value: ({ state }) => state },
        ],
        ifEmpty: 'No linked machines. Run `hearth link offer` on the machine with the models.',
      },
    );
    if (json === true) return;
    for (const { problem } of links.to) {
      if (problem !== null) terminal.messages.line(printable(problem));
    }
  },
});

function toRows({ to, from }: LinkList): readonly Row[] {
  return [
    ...to.map((link) => ({
      name: link.name,
      direction: 'to' as const,
      address: `${link.host}:${link.port}`,
      state: describeState(link),
    })),
    ...from.map(({ name, last_used_at: time }) => ({
      name,
      direction: 'from' as const,
      address: '',
      state: time === null ? 'never used' : `used ${formatMinute(time)}`,
    })),
  ];
}

function describeState({ model_count: count }: LinkedMachine): string {
  return count === null ? 'not available' : formatNumberOf(count, 'model');
}

export const linkRm = defineCommand({
  positionals: { name: required('Name, as shown by `hearth link ls`') },
  options,
  examples: ['hearth link rm gpu-box'],
  async run({ context, options: { json, ...connection }, positionals: { name } }) {
    const client = await connect(context, { ...connection, isForAdmin: true });
    const removed = await client.call(removeLink, { params: { name } }, context.signal);
    const { output, messages } = context.terminal;
    if (json === true) return output.json(removed);
    output.line(`Removed ${name}`);
    if (removed.revoked_there === false) {
      messages.line(
        'The other machine was not reached, so that it keeps its token for this one. Run `hearth link ls` and `hearth link rm NAME` there.',
      );
    }
  },
});
