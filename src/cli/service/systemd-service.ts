import { dirname, join } from 'node:path/posix';
import {
  run,
  serveCommand,
  type ServiceDefinition,
  type ServiceFacts,
  tryRun,
} from './service-definition.ts';

const unit = 'hearth.service';
const sysusers = '/etc/sysusers.d/hearth.conf';

/** The service under systemd. */
export function systemdService(facts: ServiceFacts): ServiceDefinition {
  const { home, serviceFolder, user } = facts;
  const isSystem = facts.scope === 'system';
  const file = join(serviceFolder, unit);
  const systemctl = isSystem ? ['systemctl'] : ['systemctl', '--user'];
  const unitFile = { type: 'file', path: file, content: systemdUnit(facts) } as const;
  return {
    name: unit,
    file,
    files: isSystem
      ? [
          { type: 'folder', path: dirname(sysusers) },
          { type: 'file', path: sysusers, content: sysusersFile(home) },
          unitFile,
        ]
      : [
          { type: 'folder', path: home, isPrivate: true },
          { type: 'folder', path: serviceFolder },
          unitFile,
        ],
    register: [
      ...(isSystem
        ? [
            run('systemd-sysusers', sysusers),
            ...(home === stateFolder
              ? []
              : [run('install', '-d', '-m', '0700', '-o', serviceUser, '-g', serviceUser, home)]),
          ]
        : []),
      run(...systemctl, 'daemon-reload'),
      run(...systemctl, 'enable', unit),
    ],
    start: [run(...systemctl, 'start', unit)],
    restart: [run(...systemctl, 'restart', unit)],
    uninstall: [
      // A unit whose file was deleted manually may still run and can't be disabled.
      tryRun(...systemctl, 'stop', unit),
      tryRun(...systemctl, 'disable', unit),
      { type: 'remove', path: file },
      ...(isSystem ? [{ type: 'remove', path: sysusers } as const] : []),
      run(...systemctl, 'daemon-reload'),
      tryRun(...systemctl, 'reset-failed', unit),
    ],
    stateCommand: [...systemctl, 'show', '--property=ActiveState', '--value', unit],
    logsCommand: (lines, isFollowing) => [
      'journalctl',
      isSystem ? '--unit' : '--user-unit',
      unit,
      '--output=cat',
      '--no-pager',
      `--lines=${lines}`,
      ...(isFollowing ? ['--follow'] : []),
    ],
    notes: isSystem
      ? [
          `Settings: ${join(home, 'config.json')}`,
          `Commands of the owner, such as token create: sudo hearth --home ${home} COMMAND`,
        ]
      : facts.isLingering
        ? []
        : [
            `A user service stops when you log out. To start it at boot: loginctl enable-linger ${user.name}`,
          ],
    kept: isSystem
      ? [
          `the data in ${home}, and the user ${serviceUser} who owns it (sudo rm -r ${home}; sudo userdel ${serviceUser})`,
        ]
      : [`the data in ${home}`],
  };
}

/** Account of the system service. */
export const serviceUser = 'hearth';
export const stateFolder = '/var/lib/hearth';

/** Time for engines to exit after the last request has ended, before systemd kills them. */
const stopReserveSeconds = 20;

/** The unit `hearth.service`, for the system or a user; see systemd.service(5). */
export function systemdUnit(facts: ServiceFacts): string {
  const isSystem = facts.scope === 'system';
  return [
    section('Unit', [
      'Description=Hearth model server',
      ...(isSystem ? ['Wants=network-online.target', 'After=network-online.target'] : []),
      '# Gives up after ten failed starts in five minutes.',
      'StartLimitIntervalSec=300',
      'StartLimitBurst=10',
    ]),
    section('Service', [
      'Type=notify',
      '# systemd-notify, a child of the server, sends READY and WATCHDOG.',
      'NotifyAccess=all',
      `ExecStart=${serveCommand(facts).map(quoteArgument).join(' ')}`,
      `Environment=${quote(`PATH=${dirname(facts.nodePath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`)}`,
      '# The database may be migrated first.',
      'TimeoutStartSec=600',
      'WatchdogSec=60',
      'Restart=on-failure',
      'RestartSec=2',
      '# A restart repairs neither a wrong setting nor a damaged database.',
      'RestartPreventExitStatus=2',
      '# Only the server gets SIGTERM: the engines must finish the running answers.',
      'KillMode=mixed',
      `TimeoutStopSec=${facts.shutdownSeconds + stopReserveSeconds}`,
      '# An engine that runs out of memory ends alone; the server reports it.',
      'OOMPolicy=continue',
      'LimitNOFILE=65536',
      ...(isSystem ? systemDirectives(facts) : []),
      ...hardening,
      ...(isSystem ? systemHardening(facts) : []),
    ]),
    section('Install', [`WantedBy=${isSystem ? 'multi-user.target' : 'default.target'}`]),
  ].join('\n');
}

/** Declares the account of the system service; see sysusers.d(5). */
export function sysusersFile(home: string): string {
  return `u ${serviceUser} - "Hearth model server" ${quote(home)} -\n`;
}

function systemDirectives({ home, deviceGroups, port }: ServiceFacts): string[] {
  return [
    `User=${serviceUser}`,
    `Group=${serviceUser}`,
    ...(deviceGroups.length === 0 ? [] : [`SupplementaryGroups=${deviceGroups.join(' ')}`]),
    ...(home === stateFolder ? ['StateDirectory=hearth', 'StateDirectoryMode=0700'] : []),
    '# server.json, by which the commands of all users find the server.',
    'RuntimeDirectory=hearth',
    'RuntimeDirectoryMode=0755',
    'UMask=0077',
    ...(isPrivileged(port) ? ['AmbientCapabilities=CAP_NET_BIND_SERVICE'] : []),
  ];
}

/**
 * Options that also work in a user's manager. MemoryDenyWriteExecute is missing, since V8 compiles JavaScript at run
 * time.
 */
const hardening = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
];

function systemHardening(facts: ServiceFacts): string[] {
  const { home, port, nodePath, entryPoint, writableFolders, readableFolders } = facts;
  const writable = [...(home === stateFolder ? [] : [home]), ...writableFolders];
  const used = [nodePath, entryPoint, ...writable, ...readableFolders];
  return [
    `CapabilityBoundingSet=${isPrivileged(port) ? 'CAP_NET_BIND_SERVICE' : ''}`,
    'ProtectSystem=strict',
    `ProtectHome=${used.some(isInUserHome) ? 'read-only' : 'yes'}`,
    ...(writable.length === 0
      ? []
      : [`ReadWritePaths=${writable.map((path) => quote(`-${path}`)).join(' ')}`]),
    'PrivateTmp=yes',
    'PrivateMounts=yes',
    'ProtectClock=yes',
    'ProtectControlGroups=yes',
    'ProtectHostname=yes',
    'ProtectKernelLogs=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    '# Not ProcSubset=pid: the memory of the machine is read from /proc/meminfo.',
    'ProtectProc=invisible',
    'RemoveIPC=yes',
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'RestrictNamespaces=yes',
    '# With memory protection keys, V8 guards the code that it compiles.',
    'SystemCallFilter=@system-service @pkey',
    '# Not ~@resources: engines bind their threads and memory to processors.',
    'SystemCallFilter=~@privileged',
    'SystemCallErrorNumber=EPERM',
    '# GPUs instead of PrivateDevices.',
    'DevicePolicy=closed',
    'DeviceAllow=char-drm rw',
    'DeviceAllow=char-kfd rw',
    'DeviceAllow=char-nvidia* rw',
  ];
}

const isPrivileged = (port: number) => port > 0 && port < 1024;

/** True if ProtectHome=yes would hide the path. */
function isInUserHome(path: string): boolean {
  return ['/home', '/root', '/run/user'].some(
    (folder) => path === folder || path.startsWith(`${folder}/`),
  );
}

function section(name: string, lines: readonly string[]): string {
  return `[${name}]\n${lines.join('\n')}\n`;
}

/** Escapes `%`, which starts a specifier (systemd.unit(5)). */
function quote(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}

/** Escapes `$`, too, which starts a variable in ExecStart. */
function quoteArgument(text: string): string {
  return quote(text).replaceAll('$', () => '$$');
}
