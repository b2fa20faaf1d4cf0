import type * as z from 'zod';

/** One setting: what it accepts, and what it is for. */
export interface SettingDeclaration {
  readonly schema: z.ZodType;
  readonly description: string;
  /** Default that depends on the machine or the home folder, in words. */
  readonly computedDefault?: string;
  /** An additional environment variable. */
  readonly alias?: string;
  /** Secrets are left out of messages and of lists of settings. */
  readonly isSecret?: boolean;
  /** The value is a path, or a list of paths: relative ones start at the home folder. `name`: or the name of a program. */
  readonly path?: 'path' | 'name';
  /** Whether a change takes effect in a running server. */
  readonly isLive?: boolean;
}

/** Declares a setting, keeping the type of its schema. */
export const setting = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  more: Omit<SettingDeclaration, 'schema' | 'description'> = {},
) => ({ schema, description, ...more }) satisfies SettingDeclaration;
