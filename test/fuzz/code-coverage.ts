import { Session, type Profiler } from 'node:inspector';

/** Tracks which parts of a script have run, with V8's coverage. */
export class CodeCoverage {
  readonly #session = new Session();
  readonly #url: string;
  /** For each function, a byte for each of its characters. */
  readonly #covered = new Map<string, Uint8Array>();

  /** @param url URL of the script. */
  constructor(url: string) {
    this.#url = url;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  get functionCount(): number {
    return this.#covered.size;
  }

  /** Number of characters of code that have run. */
  get characterCount(): number {
    let count = 0;
    for (const characters of this.#covered.values()) {
      for (const character of characters) count += character;
    }
    return count;
  }

  /** Adds the code that has run since the last call of a method. @returns True if some of it is new. */
  take(): boolean {
    return this.#read().filter((ranges) => this.#compare(ranges, true)).length > 0;
  }

  /** Like `take`, but without adding the code. */
  isNew(): boolean {
    return this.#read().some((ranges) => this.#compare(ranges, false));
  }

  /** Ignores the code that has run since the last call. */
  skip(): void {
    this.#read();
  }

  /** Ranges are nested: the first is the whole function; each later one is inside an earlier one or after it. */
  #compare(ranges: readonly Profiler.CoverageRange[], isAdded: boolean): boolean {
    const [whole] = ranges;
    if (whole === undefined || whole.count === 0) return false;
    const key = `${whole.startOffset}-${whole.endOffset}`;
    const length = whole.endOffset - whole.startOffset;
    const ran = new Uint8Array(length);
    for (const { startOffset, endOffset, count } of ranges) {
      const start = startOffset - whole.startOffset;
      ran.fill(count > 0 ? 1 : 0, start, endOffset - whole.startOffset);
    }
    const covered = this.#covered.get(key);
    if (covered === undefined) {
      if (isAdded) this.#covered.set(key, ran);
      return true;
    }
    let isNew = false;
    for (let index = 0; index < length; index += 1) {
      if (ran[index] === 0 || covered[index] === 1) continue;
      if (isAdded) covered[index] = 1;
      isNew = true;
    }
    return isNew;
  }

  /** The ranges of each function of the script. */
  #read(): readonly (readonly Profiler.CoverageRange[])[] {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    // A session with its own thread answers before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error !== null) throw error;
      scripts = answer.result;
    });
    return scripts
      .filter(({ url }) => url === this.#url)
      .flatMap(({ functions }) => functions.map(({ ranges }) => ranges));
  }
}
