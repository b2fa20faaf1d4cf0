import type { McpServerRecord } from '../../../../../src/api/v1/tools/mcp-server-schema.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { formatPairs, linesOf, parsePairs } from '../../../ui/pairs.ts';

const labels = developerTexts.mcp;

/** The user's input for an entry of mcp.json. */
export interface ServerForm {
  readonly label: string;
  readonly kind: 'process' | 'http';
  readonly command: string;
  readonly args: string;
  readonly env: string;
  readonly cwd: string;
  readonly url: string;
  readonly headers: string;
}

export const emptyServerForm: ServerForm = {
  label: '',
  kind: 'process',
  command: '',
  args: '',
  env: '',
  cwd: '',
  url: '',
  headers: '',
};

export function toServerForm(server: McpServerRecord): ServerForm {
  return {
    label: server.label,
    kind: server.url === undefined ? 'process' : 'http',
    command: server.command ?? '',
    args: (server.args ?? []).join('\n'),
    env: formatPairs(server.env ?? {}),
    cwd: server.cwd ?? '',
    url: server.url ?? '',
    headers: formatPairs(server.headers ?? {}),
  };
}

type FormErrors = Readonly<Partial<Record<keyof ServerForm, string>>>;

/** Errors by field; empty if the entry can be sent. The server validates the entry, too. */
export function serverFormErrors(form: ServerForm): FormErrors {
  const pairFault = (text: string) => {
    const parsed = parsePairs(text);
    return 'badLine' in parsed
      ? developerTexts.settings.notPair({ line: parsed.badLine })
      : undefined;
  };
  const all: Readonly<Record<string, string | undefined>> = {
    label: /^[A-Za-z0-9][\w.-]{0,63}$/.test(form.label) ? undefined : labels.badLabel,
    ...(form.kind === 'process'
      ? {
          command: form.command.trim() === '' ? labels.missingCommand : undefined,
          env: pairFault(form.env),
        }
      : {
          url: /^https?:\/\/./i.test(form.url.trim()) ? undefined : labels.badUrl,
          headers: pairFault(form.headers),
        }),
  };
  return Object.fromEntries(Object.entries(all).filter(([, fault]) => fault !== undefined));
}

/** Converts the form to an entry of mcp.json. Only call it if there are no errors. */
export function toServerRequest(form: ServerForm) {
  const pairs = (text: string) => {
    const parsed = parsePairs(text);
    return 'pairs' in parsed && Object.keys(parsed.pairs).length > 0 ? parsed.pairs : undefined;
  };
  if (form.kind === 'http') {
    const headers = pairs(form.headers);
    return { url: form.url.trim(), ...(headers === undefined ? {} : { headers }) };
  }
  const args = linesOf(form.args);
  const env = pairs(form.env);
  return {
    command: form.command.trim(),
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(env === undefined ? {} : { env }),
    ...(form.cwd.trim() === '' ? {} : { cwd: form.cwd.trim() }),
  };
}
