import {
  pauseDownload,
  startDownload,
  type DownloadJobRecord,
  type DownloadStartRecord,
} from '../../api/v1/downloads/download-schema.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { resolveModel } from '../download/resolve-model.ts';
import { followDownload, progressFraction, describeUsage } from '../download/follow-download.ts';
import { describeLicense } from '../check-model.ts';
import { CommandError } from '../failure.ts';
import { clientOptions, flag, rest } from '../option.ts';
import { formatBytes } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';

/** Maximum time that an interrupted command waits for the server to pause the download. */
const pauseTimeoutMs = 5000;

export const get = defineCommand({
  positionals: {
    model: rest('Catalog id, owner/name or URL, optionally with @quantization; or search words'),
  },
  options: {
    search: flag('--search', 'Search without downloading'),
    detach: flag('-d, --detach', 'Download in the background and print the job id'),
    ...clientOptions,
  },
  examples: [
    'hearth get smollm2 instruct',
    'hearth get bartowski/SmolLM2-135M-Instruct-GGUF@Q8_0',
    'hearth get https://huggingface.co/bartowski/SmolLM2-135M-Instruct-GGUF',
    'hearth get ollama:qwen3:0.6b',
    'hearth get docker:ai/smollm2',
    'hearth get modelscope:Qwen/Qwen3-0.6B-GGUF:Q8_0',
    'hearth get --search embedding --json',
  ],
  async run({ context, options, positionals: { model } }) {
    const { terminal, signal } = context;
    const isJson = options.json === true;
    const client = await connect(context, options);
    const resolved = await resolveModel(context, client, model.join(' '), {
      isJson,
      isSearch: options.search === true,
    });
    if (resolved.kind === 'listed') return resolved.exitCode;

    const { request } = resolved;
    const again = printable(`hearth get ${resolved.argument}`);
    const start = await client.call(startDownload, { body: request }, signal);
    if (start.status === 'already_downloaded') {
      if (isJson) terminal.output.json(start);
      else
        terminal.output.line(
          `${describe(start)} is already downloaded. ${await describeUsage(client, start, signal)}`,
        );
      return;
    }
    terminal.messages.line(`${describe(start)}, ${formatBytes(start.total_size_bytes)}`);
    if (start.note !== undefined) terminal.messages.line(printable(start.note));
    terminal.messages.line(printable(`License: ${describeLicense(start)}`));
    if (options.detach === true) {
      if (isJson) terminal.output.json(start);
      else terminal.output.line(start.job_id);
      terminal.messages.line('The download continues on the server. See `hearth download ls`.');
      return;
    }
    const reconnect = (within: AbortSignal) => connect({ ...context, signal: within }, options);
    const job = await follow(context, client, reconnect, start, again);
    if (isJson) terminal.output.json(job);
    if (job.status !== 'completed') throw new CommandError(describeEnd(job, again));
    if (!isJson) {
      const hint = await describeUsage(await connect(context, options), job, signal);
      terminal.output.line(`Downloaded ${describe(job)}. ${hint}`);
    }
  },
});

/** Follows the job; pauses it if the command is interrupted. */
async function follow(
  context: CommandContext,
  client: Client,
  reconnect: (signal: AbortSignal) => Promise<Client>,
  start: DownloadJobRecord,
  again: string,
): Promise<DownloadJobRecord> {
  const { signal, terminal } = context;
  let last = start;
  try {
    return await followDownload({
      job: start,
      messages: terminal.messages,
      client,
      reconnect: () => reconnect(signal),
      signal,
      onState: (job) => {
        last = job;
      },
    });
  } catch (error) {
    if (signal.aborted) {
      terminal.messages.line(await pause(reconnect, last, again));
    }
    throw error;
  }
}

/** @returns A message for the user. */
async function pause(
  reconnect: (signal: AbortSignal) => Promise<Client>,
  { job_id: id }: DownloadJobRecord,
  again: string,
): Promise<string> {
  const limit = AbortSignal.timeout(pauseTimeoutMs);
  try {
    const client = await reconnect(limit);
    const job = await client.call(pauseDownload, { params: { job_id: id } }, limit);
    const percent = Math.floor(progressFraction(job) * 100);
    return `Paused at ${percent} %. Continue with \`${again}\`.`;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') {
      return 'The download has already ended. See `hearth download ls`.';
    }
    return `Could not pause the download. Try \`hearth download pause ${id}\`.`;
  }
}

/** Explains why the download did not complete, and how to continue. */
function describeEnd(job: DownloadJobRecord, again: string): string {
  return job.status === 'failed'
    ? `The download failed: ${job.error?.message ?? 'unknown reason.'} ` +
        `Continue with \`${again}\`.`
    : `The download was paused. Continue with \`${again}\`.`;
}

/** `org/model Q4_K_M` */
function describe({ model, quantization }: DownloadStartRecord): string {
  return printable(quantization === null ? model : `${model} ${quantization}`);
}
