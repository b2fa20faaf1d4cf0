import packageJson from '../../package.json' with { type: 'json' };

/** Hearth's own version, such as `0.1.0`. */
export const version: string = packageJson.version;
