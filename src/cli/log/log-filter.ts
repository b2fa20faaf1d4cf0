/** A line of the log, or undefined for text of another origin, such as a message of Node. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface LogFilterOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /** Key of a model or id of an instance. */
  readonly model: string | undefined;
  readonly requestId: string | undefined;
  /** Whether to show the prompts and outputs of generations. */
  readonly showsPrompts: boolean;
}

const ranks = { debug: 20, info: 30, warn: 40, error: 50 } as const;
const maxRequests = 10_000;

/** Chooses the lines to show, one after the other. */
export function createLogFilter(options: LogFilterOptions): (line: LogLine | undefined) => boolean {
  const { level, model, requestId, showsPrompts } = options;
  /** Requests that used the model: their last line does not name it. */
  const ofModel = new Set<unknown>();
  const isAboutModel = (line: LogLine): boolean => {
    if (line['model'] === model || line['instance'] === model) {
      if (line['requestId'] !== undefined) ofModel.add(line['requestId']);
      if (ofModel.size > maxRequests) ofModel.delete(ofModel.keys().next().value);
      return true;
    }
    return ofModel.has(line['requestId']);
  };
  return (line) => {
    if (line === undefined) return model === undefined && requestId === undefined;
    const matches = model === undefined || isAboutModel(line);
    if (!matches || (requestId !== undefined && line['requestId'] !== requestId)) return false;
    if (line['msg'] === 'prompt' && !showsPrompts) return false;
    const rank = ranks[line['level'] as keyof typeof ranks] ?? ranks.info;
    return rank >= ranks[level];
  };
}

/** Undefined if the text is not a line of the JSON log. */
export function parseLogLine(text: string): LogLine | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
