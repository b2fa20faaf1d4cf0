import { serverNodeOptions } from '../server-node-options.ts';

/** Scope of a service: `system` starts at boot, `user` starts when its user logs in. */
export type ServiceScope = 'system' | 'user';
export type ServicePlatform = 'linux' | 'darwin' | 'win32';

/** Facts that determine a service's files. All paths are absolute. */
export interface ServiceFacts {
  readonly platform: ServicePlatform;
  readonly scope: ServiceScope;
  readonly nodePath: string;
  /** The script of the command-line tool. */
  readonly entryPoint: string;
  readonly home: string;
  /** Options of `hearth serve`, such as `--server-port=8080`. */
  readonly serveArguments: readonly string[];
  /** The user who installs the service; with sudo, the user who ran it. */
  readonly user: { readonly name: string; readonly id: number };
  /** Folder for the record of a system service. */
  readonly recordFolder: string;
  /** Folder of the unit, property list or task definition, which depends on the scope. */
  readonly serviceFolder: string;
  /** `limits.shutdownSeconds`. */
  readonly shutdownSeconds: number;
  /** `server.port`. */
  readonly port: number;
  /** True if systemd starts the services of this user at boot. */
  readonly isLingering: boolean;
  /** The groups of `render` and `video` that exist; they own GPU devices. */
  readonly deviceGroups: readonly string[];
  /** Folders outside of the home to which the server writes, such as `models.dir`. */
  readonly writableFolders: readonly string[];
  /** Folders outside of the home from which the server reads, such as `models.extraDirs`. */
  readonly readableFolders: readonly string[];
}

/** One change to the machine. */
export type ServiceStep =
  | {
      readonly type: 'folder';
      readonly path: string;
      /** True if other users may not read a new folder. */
      readonly isPrivate?: boolean;
    }
  | {
      readonly type: 'file';
      readonly path: string;
      readonly content: string;
      /** Task Scheduler only reads UTF-16. */
      readonly encoding?: 'utf16le';
    }
  | { readonly type: 'remove'; readonly path: string }
  | {
      readonly type: 'run';
      readonly command: readonly string[];
      /** True if the command may fail, since its effect may already exist. */
      readonly mayFail?: boolean;
    };

/** A service of one platform: its files, and the commands that manage it. */
export interface ServiceDefinition {
  readonly name: string;
  /** The service is installed if this file exists. */
  readonly file: string;
  /** Steps that write folders and files. */
  readonly files: readonly ServiceStep[];
  /** Steps that make the service manager read the files. */
  readonly register: readonly ServiceStep[];
  /** Steps that start the service if it is not running. */
  readonly start: readonly ServiceStep[];
  readonly restart: readonly ServiceStep[];
  readonly uninstall: readonly ServiceStep[];
  /** Command that prints the state for `parseState`; undefined if the manager has no machine-readable output. */
  readonly stateCommand: readonly string[] | undefined;
  readonly logsCommand: (lines: number, isFollowing: boolean) => readonly string[];
  /** Advice after the installation. */
  readonly notes: readonly string[];
  /** Files that `uninstall` keeps. */
  readonly kept: readonly string[];
}

/** The command that the service runs. */
export function serveCommand(facts: ServiceFacts): readonly string[] {
  const { nodePath, entryPoint, home, serveArguments, scope, recordFolder } = facts;
  const record = scope === 'system' ? ['--record-folder', recordFolder] : [];
  const serve = ['--home', home, 'serve', ...record, ...serveArguments];
  return [nodePath, ...serverNodeOptions, entryPoint, ...serve];
}

export const run = (...command: readonly string[]): ServiceStep => ({ type: 'run', command });
export const tryRun = (...command: readonly string[]): ServiceStep => ({
  type: 'run',
  command,
  mayFail: true,
});

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes text for an XML element. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
