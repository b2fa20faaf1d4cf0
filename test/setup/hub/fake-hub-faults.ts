/** What a fake hub can do wrong. */
export type HubFaultKind =
  /** An error answer; as the hub does, with the code in a header. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: string;
      readonly errorCode?: string;
    }
  /** Any other answer instead of the right one: HTML, broken JSON, a listing too large. */
  | {
      readonly kind: 'body';
      readonly body: string | Buffer;
      readonly contentType?: string;
      readonly status?: number;
    }
  | {
      readonly kind: 'redirect';
      /** Absolute or relative; `loop` leads back to the same address. */
      readonly location: string;
      readonly status?: number;
    }
  /** Never answers, until released. */
  | { readonly kind: 'silence' }
  /** Sends the head and so many bytes, then nothing more until released. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** Resets the connection after so many bytes of the body. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** Announces everything, sends so many bytes and closes the connection politely. */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** Announces no length, sends so many bytes and ends the answer as if that were all. */
  | { readonly kind: 'short'; readonly afterBytes: number }
  /** Announces no length and sends so many bytes too many. */
  | { readonly kind: 'long'; readonly extraBytes: number }
  /** Answers 200 with the whole file to a request for a range. */
  | { readonly kind: 'ignore_range' }
  /** Says that the range starts elsewhere; the bytes are the right ones. */
  | { readonly kind: 'wrong_range'; readonly shiftBytes: number }
  /** Says that the file has another size, in `Content-Range`. */
  | { readonly kind: 'wrong_total'; readonly totalBytes: number }
  /** Flips the byte at this offset of the file; only in answers that hold it. */
  | { readonly kind: 'corrupt'; readonly atByte: number }
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number };

export type HubFault = HubFaultKind & {
  /** Only requests whose path (without query, decoded) ends so. */
  readonly path?: string;
  /** How many requests it strikes; all of them unless set. */
  readonly times?: number;
  /** Which of the two servers; the hub itself unless set. */
  readonly server?: 'hub' | 'cdn';
};

export interface ActiveFault {
  /** Requests that it has struck. */
  readonly hitCount: number;
  remove(): void;
}

export interface HubFaults {
  /** From the next request on; of several that fit, each kind applies once, the newest first. */
  add(fault: HubFault): ActiveFault;
  /** Removes all, and releases what is silent or stalled. */
  clear(): void;
  /** Lets silent and stalled answers continue; those that come later stall again. */
  release(): void;
}

interface FaultyRequest {
  readonly server: 'hub' | 'cdn';
  readonly path: string;
  /** Of the file, end exclusive; undefined for answers of the API. */
  readonly range: { readonly start: number; readonly end: number } | undefined;
}

export type FaultsOf = { readonly [K in HubFaultKind['kind']]?: HubFaultKind & { kind: K } };

export interface FaultRegister extends HubFaults {
  /** What strikes this request; counts it. */
  strike(request: FaultyRequest): FaultsOf;
  /** Settles at the next release. */
  released(): Promise<void>;
}

export function createFaultRegister(): FaultRegister {
  let active: { readonly fault: HubFault; hitCount: number }[] = [];
  let waiting: (() => void)[] = [];
  const release = (): void => {
    for (const resume of waiting.splice(0)) resume();
  };
  return {
    add(fault) {
      const entry = { fault, hitCount: 0 };
      active = [entry, ...active];
      return {
        get hitCount() {
          return entry.hitCount;
        },
        remove() {
          active = active.filter((other) => other !== entry);
        },
      };
    },
    clear() {
      active = [];
      release();
    },
    release,
    strike(request) {
      const struck: Partial<Record<HubFaultKind['kind'], HubFaultKind>> = {};
      for (const entry of active) {
        if (struck[entry.fault.kind] !== undefined || !fits(entry, request)) continue;
        entry.hitCount += 1;
        struck[entry.fault.kind] = entry.fault;
      }
      return struck as FaultsOf;
    },
    released: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
      }),
  };
}

function fits(
  { fault, hitCount }: { readonly fault: HubFault; readonly hitCount: number },
  { server, path, range }: FaultyRequest,
): boolean {
  if (fault.times !== undefined && hitCount >= fault.times) return false;
  if (server !== (fault.server ?? 'hub')) return false;
  if (fault.path !== undefined && !path.endsWith(fault.path)) return false;
  if (fault.kind !== 'corrupt') return true;
  return range !== undefined && fault.atByte >= range.start && fault.atByte < range.end;
}
