import type * as z from 'zod';
import { corruptFile, withFileSource } from './gguf/byte-source.ts';

/**
 * Reads and validates a JSON file.
 *
 * @throws HearthError `missing_file`; `corrupt_file` if it is too long, not JSON or does not match the schema.
 */
export async function readJsonFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  maxBytes: number,
  signal: AbortSignal,
): Promise<z.output<Schema>> {
  return withFileSource(path, async (source) => {
    const text = await readSource(source, maxBytes, signal);
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      throw corruptFile(source.name, 'is not JSON');
    }
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw corruptFile(source.name, `has no usable ${issue?.path.join('.') || 'object'}`);
  });
}

/**
 * Reads a whole file as UTF-8.
 *
 * @throws HearthError `missing_file`; `corrupt_file` if it is too long.
 */
export function readTextFile(path: string, maxBytes: number, signal: AbortSignal): Promise<string> {
  return withFileSource(path, (source) => readSource(source, maxBytes, signal));
}

type Source = Parameters<Parameters<typeof withFileSource>[1]>[0];

async function readSource(source: Source, maxBytes: number, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  if (source.sizeBytes > maxBytes)
    throw corruptFile(source.name, `is longer than ${maxBytes} bytes`);
  const bytes = Buffer.alloc(source.sizeBytes);
  return bytes.toString('utf8', 0, await source.read(bytes, 0));
}
