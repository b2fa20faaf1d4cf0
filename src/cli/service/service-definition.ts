import { serverNodeOptions } from '../server-node-options.ts';

/** Who a service belongs to: `system` starts at boot, `user` with the session of its user. */
export type ServiceScope = 'system' | 'user';
export type ServicePlatform = 'linux' | 'darwin' | 'win32';

/** Inputs of a service's files. All paths are absolute. */
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
  /** Folder of the unit, property list or task definition. */
  readonly serviceFolder: string;
  /** `limits.shutdownSeconds`. */
  readonly shutdownSeconds: number;
  /** `server.port`. */
  readonly port: number;
  /** True if systemd starts the user services of the user at boot. */
  readonly isLingering: boolean;
  /** The existing groups among `render` and `video`, which own GPU devices. */
  readonly deviceGroups: readonly string[];
  /** Folders outside of the home that the server writes to, such as `models.dir`. */
  readonly writableFolders: readonly string[];
  /** Folders outside of the home that the server reads, such as `models.extraDirs`. */
  readonly readableFolders: readonly string[];
}

/** One change to the machine. */
export type ServiceStep =
  | {
      readonly type: 'folder';
      readonly path: string;
      /** True if other users may not look into a new folder. */
      readonly isPrivate?: boolean;
    }
  | {
      readonly type: 'file';
      readonly path: string;
      readonly content: string;
      /** Task Scheduler reads UTF-16 only. */
      readonly encoding?: 'utf16le';
    }
  | { readonly type: 'remove'; readonly path: string }
  | {
      readonly type: 'run';
      readonly command: readonly string[];
      /** True if the command may fail, because its work may be done already. */
      readonly mayFail?: boolean;
    };

/** A service of one platform: its files, and the commands that manage it. */
export interface ServiceDefinition {
  readonly name: string;
  /** The service is installed if this file exists. */
  readonly file: string;
  /** Folders and files. */
  readonly files: readonly ServiceStep[];
  /** Makes the manager read the files. */
  readonly register: readonly ServiceStep[];
  /** Starts the service, unless it runs. */
  readonly start: readonly ServiceStep[];
  readonly restart: readonly ServiceStep[];
  readonly uninstall: readonly ServiceStep[];
  /** Prints the state for `parseState`; undefined if the manager has no output that programs can read. */
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

/** Text for the content of an XML element. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
