import { toAnswer, type ApiAnswer } from '../../setup/server/api.ts';
import { describeTimes, report } from '../../soak/drill.ts';

/** Observations of clients: durations, failures, and violations of the guarantees. */
export class Observations {
  readonly #times = new Map<string, number[]>();
  readonly #failures = new Map<string, number>();
  /** A line for each violated guarantee. */
  readonly violations: string[] = [];

  succeed(kind: string, milliseconds: number): void {
    const times = this.#times.get(kind) ?? [];
    times.push(milliseconds);
    this.#times.set(kind, times);
  }

  fail(kind: string, code: string): void {
    const name = `${kind}: ${code}`;
    this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
  }

  countOf(kind: string): number {
    return this.#times.get(kind)?.length ?? 0;
  }

  /** Failure codes with their counts, such as `[['chat: disconnected', 3]]`. */
  failures(): readonly (readonly [string, number])[] {
    return [...this.#failures].toSorted(([, left], [, right]) => right - left);
  }

  report(title: string): void {
    for (const [kind, times] of this.#times) {
      report(`${title}: ${times.length} × ${kind}, ${describeTimes(times)}`);
    }
    const failed = this.failures().reduce((sum, [, count]) => sum + count, 0);
    const done = [...this.#times.values()].reduce((sum, times) => sum + times.length, 0);
    const share = ((failed / (failed + done)) * 100).toFixed(2);
    const shown = this.failures().map(([name, count]) => `${name} ${count}`);
    report(`${title}: ${failed} of ${failed + done} failed, ${share} %: ${shown.join(', ')}`);
  }
}

/** State that all clients share. */
export interface World {
  /** URL of the proxy. */
  readonly url: string;
  readonly model: string;
  readonly observations: Observations;
  /** The text of each acknowledged response by id; undefined if any text is acceptable. */
  readonly responses: Map<string, string | undefined>;
  /** SHA-256 of each acknowledged file by id. */
  readonly files: Map<string, string>;
  /** Returns a word that no other message contains. */
  nextMark(): string;
}

/**
 * Sends a request and parses its JSON or text.
 *
 * @returns undefined after a failure, which is counted.
 */
export async function ask(
  { url, observations }: Pick<World, 'url' | 'observations'>,
  kind: string,
  path: string,
  init?: RequestInit,
): Promise<ApiAnswer['body']> {
  const started = performance.now();
  const answer = await fetch(url + path, init)
    .then(toAnswer)
    .catch(() => undefined);
  if (answer?.status === 200) {
    observations.succeed(kind, performance.now() - started);
    return answer.body;
  }
  observations.fail(kind, answer === undefined ? 'disconnected' : errorOf(answer));
  return undefined;
}

export function jsonRequest(body: unknown, token?: string): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  };
}

/** Status and code of an error; `proxy` if the response is not from a server. */
export function errorOf({ status, body }: Pick<ApiAnswer, 'status' | 'body'>): string {
  return `${status} ${body?.error?.code ?? 'proxy'}`;
}
