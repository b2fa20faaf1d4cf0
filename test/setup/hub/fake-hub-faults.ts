/** Faults that a fake hub can have. */
export type HubFaultKind =
  /** An error response, with an error code in a header, like the real hub. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: string;
      readonly errorCode?: string;
    }
  /** Another response instead of the correct one: HTML, broken JSON, or a listing that is too large. */
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
  /** Sends no response until released. */
  | { readonly kind: 'silence' }
  /** Sends the headers and this number of bytes, then nothing until released. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  /** Resets the connection after this number of bytes of the body. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** Declares the full length, sends this number of bytes and closes the connection normally. */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** Declares no length, sends this number of bytes and ends the response normally. */
  | { readonly kind: 'short'; readonly afterBytes: number }
  /** Declares no length and sends this number of excess bytes. */
  | { readonly kind: 'long'; readonly extraBytes: number }
  /** Responds with 200 and the whole file to a request for a range. */
  | { readonly kind: 'ignore_range' }
  /** Declares another start of the range; the bytes are correct. */
  | { readonly kind: 'wrong_range'; readonly shiftBytes: number }
  /** Declares another size of the file in `Content-Range`. */
  | { readonly kind: 'wrong_total'; readonly totalBytes: number }
  /** Flips the byte at this offset of the file, in responses that contain it. */
  | { readonly kind: 'corrupt'; readonly atByte: number }
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number };

export type HubFault = HubFaultKind & {
  /** Affects only requests whose path (decoded, without query) ends with this text. */
  readonly path?: string;
  /** Number of affected requests; defaults to all. */
  readonly times?: number;
  /** The affected server; defaults to the hub itself. */
  readonly server?: 'hub' | 'cdn';
};

export interface ActiveFault {
  /** Number of requests affected so far. */
  readonly hitCount: number;
  remove(): void;
}

export interface HubFaults {
  /** Adds a fault, from the next request on. If several match, each kind applies once, the newest first. */
  add(fault: HubFault): ActiveFault;
  /** Removes all faults and releases silent and stalled responses. */
  clear(): void;
  /** Continues silent and stalled responses; later requests stall again. */
  release(): void;
}

interface FaultyRequest {
  readonly server: 'hub' | 'cdn';
  readonly path: string;
  /** Range of the file, excluding `end`; undefined for API responses. */
  readonly range: { readonly start: number; readonly end: number } | undefined;
}

export type FaultsOf = { readonly [K in HubFaultKind['kind']]?: HubFaultKind & { kind: K } };

export interface FaultRegister extends HubFaults {
  /** Returns the faults of this request, and counts them. */
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
