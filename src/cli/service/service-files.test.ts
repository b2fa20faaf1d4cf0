import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createService, parseState } from './find-service.ts';
import type { ServiceFacts, ServicePlatform, ServiceStep } from './service-definition.ts';
import { exampleMachine } from './service-machine.ts';

function factsOf(platform: ServicePlatform, changes: Partial<ServiceFacts> = {}): ServiceFacts {
  const { homes, serviceFolders, ...machine } = exampleMachine(platform);
  const scope = changes.scope ?? 'system';
  return {
    ...machine,
    scope,
    home: homes[scope],
    serviceFolder: serviceFolders[scope],
    serveArguments: ['--models-preload=hearth/starter-chat'],
    shutdownSeconds: 30,
    port: 1234,
    writableFolders: [],
    readableFolders: [],
    ...changes,
  };
}

function contentOf(facts: ServiceFacts): string {
  const { file, files } = createService(facts);
  const step = files.find((each) => each.type === 'file' && each.path === file);
  return step?.type === 'file' ? step.content : '';
}

/** Parses with Python's libraries for the formats that macOS and Windows read. */
function parse(program: string, input: string): unknown {
  const output = execFileSync('python3', ['-c', `import sys, json\n${program}`], { input });
  return JSON.parse(output.toString());
}
const parsePlist = (text: string) =>
  parse('import plistlib\nprint(json.dumps(plistlib.loads(sys.stdin.buffer.read())))', text);
const parseXml = (text: string) =>
  parse(
    `import xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read().decode().replace('encoding="UTF-16"', ''))
print(json.dumps([[node.tag.split('}')[1], (node.text or '').strip()] for node in root.iter()]))`,
    text,
  ) as [string, string][];

const commandsOf = (steps: readonly ServiceStep[]) =>
  steps.flatMap((step) => (step.type === 'run' ? [step.command.join(' ')] : []));

const strange = String.raw`/srv/a "b" 100% $HOME\c & <d>`;

describe.each(['system', 'user'] as const)('files of the %s service', (scope) => {
  it.each([
    ['linux', 'hearth.service'],
    ['darwin', 'hearth.server.plist'],
    ['win32', 'hearth-task.xml'],
  ] as const)('on %s', async (platform, name) => {
    const fixture = `../../../test/fixtures/service/${scope}-${name}`;
    await expect(contentOf(factsOf(platform, { scope }))).toMatchFileSnapshot(fixture);
  });
});

describe('the systemd unit', () => {
  const directive = (text: string, name: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}=`))
      .map((line) => line.slice(name.length + 1));

  it('quotes arguments and paths', () => {
    const unit = contentOf(
      factsOf('linux', { home: strange, writableFolders: ['/data/my models'] }),
    );
    const quoted = String.raw`"/srv/a \"b\" 100%% $HOME\\c & <d>"`;
    expect(directive(unit, 'ExecStart')[0]).toContain(
      `--home ${quoted.replace('$', '$$$$')} serve`,
    );
    expect(directive(unit, 'ReadWritePaths')).toEqual([
      `${quoted.replace('"/', '"-/')} "-/data/my models"`,
    ]);
  });

  it('stops after the requests have had their time', () => {
    const unit = contentOf(factsOf('linux', { shutdownSeconds: 300 }));
    expect(Number(directive(unit, 'TimeoutStopSec')[0])).toBeGreaterThan(300);
  });

  it('may bind a port below 1024 only if that is its port', () => {
    const bound = contentOf(factsOf('linux', { port: 443 }));
    expect(directive(bound, 'AmbientCapabilities')).toEqual(['CAP_NET_BIND_SERVICE']);
    expect(directive(bound, 'CapabilityBoundingSet')).toEqual(['CAP_NET_BIND_SERVICE']);
    const unit = contentOf(factsOf('linux'));
    expect(directive(unit, 'AmbientCapabilities')).toEqual([]);
    expect(directive(unit, 'CapabilityBoundingSet')).toEqual(['']);
  });

  it('sees the home folders of users only if it uses one', () => {
    const hidden = contentOf(factsOf('linux'));
    expect(directive(hidden, 'ProtectHome')).toEqual(['yes']);
    const seen = contentOf(factsOf('linux', { readableFolders: ['/home/ada/.ollama/models'] }));
    expect(directive(seen, 'ProtectHome')).toEqual(['read-only']);
  });

  it('lets V8 compile', () => {
    expect(contentOf(factsOf('linux'))).not.toContain('MemoryDenyWriteExecute');
  });

  it('names only groups that exist, since systemd refuses others', () => {
    expect(
      directive(contentOf(factsOf('linux', { deviceGroups: [] })), 'SupplementaryGroups'),
    ).toEqual([]);
  });
});

describe('the property list', () => {
  it('holds the command and the times', () => {
    const facts = factsOf('darwin', { home: strange });
    expect(parsePlist(contentOf(facts))).toMatchObject({
      Label: 'hearth.server',
      UserName: 'ada',
      ProgramArguments: [
        facts.nodePath,
        '--max-semi-space-size=64',
        facts.entryPoint,
        '--home',
        strange,
        'serve',
        '--record-folder',
        '/Library/Application Support/Hearth',
        '--models-preload=hearth/starter-chat',
      ],
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ExitTimeOut: 50,
      StandardErrorPath: `${strange}/logs/server.log`,
    });
    expect(parsePlist(contentOf(factsOf('darwin', { scope: 'user' })))).not.toHaveProperty(
      'UserName',
    );
  });

  it('is loaded into the domain of its scope', () => {
    const { restart } = createService(factsOf('darwin', { scope: 'user' }));
    expect(commandsOf(restart)).toEqual([
      'launchctl bootout gui/501/hearth.server',
      'launchctl bootstrap gui/501 /Users/ada/Library/LaunchAgents/hearth.server.plist',
      'launchctl kickstart gui/501/hearth.server',
    ]);
  });
});

describe('the task', () => {
  it('starts at boot as a service account, or when the user logs in', () => {
    const system = parseXml(contentOf(factsOf('win32')));
    expect(system).toContainEqual(['UserId', 'S-1-5-19']);
    expect(system.map(([tag]) => tag)).toContain('BootTrigger');
    const user = parseXml(contentOf(factsOf('win32', { scope: 'user' })));
    expect(user).toContainEqual(['UserId', 'ada']);
    expect(user.map(([tag]) => tag)).toContain('LogonTrigger');
  });

  it('runs the server, which writes its log itself', () => {
    const task = parseXml(contentOf(factsOf('win32', { home: String.raw`D:\Tom & Ada` })));
    expect(task).toContainEqual(['Command', String.raw`C:\Program Files\nodejs\node.exe`]);
    expect(task).toContainEqual([
      'Arguments',
      String.raw`--max-semi-space-size=64 "C:\Program Files\nodejs\node_modules\hearth\dist\cli\main.js" --home "D:\Tom & Ada" serve --record-folder C:\ProgramData\hearth --models-preload=hearth/starter-chat "--log-file=D:\Tom & Ada\logs\server.log"`,
    ]);
    expect(task).toContainEqual(['ExecutionTimeLimit', 'PT0S']);
  });

  it('of a user opens no console window, whose closing would end the server', () => {
    const task = parseXml(contentOf(factsOf('win32', { scope: 'user' })));
    expect(task).toContainEqual(['Command', String.raw`%SystemRoot%\System32\conhost.exe`]);
    const [, command] = task.find(([tag]) => tag === 'Arguments') ?? [];
    expect(command).toMatch(/^--headless "C:\\Program Files\\nodejs\\node\.exe" --max-semi/);
  });
});

describe('an uninstallation', () => {
  it.each(['linux', 'darwin', 'win32'] as const)(
    'on %s removes every file, and no folder',
    (platform) => {
      const { files, uninstall } = createService(factsOf(platform));
      const written = files.flatMap((step) => (step.type === 'file' ? [step.path] : []));
      const removed = uninstall.flatMap((step) => (step.type === 'remove' ? [step.path] : []));
      expect(removed).toEqual(expect.arrayContaining(written));
      const folders = new Set(files.flatMap((step) => (step.type === 'folder' ? [step.path] : [])));
      expect(removed.filter((path) => folders.has(path))).toEqual([]);
    },
  );
});

it.each([
  ['active\n', 'active'],
  ['inactive\n', 'inactive'],
  [
    'gui/501/hearth.server = {\n\tactive count = 1\n\tpath = /a/b.plist\n\tstate = running\n\n\tpid = 7\n}\n',
    'running',
  ],
  ['system/hearth.server = {\n\tstate = not running\n}\n', 'not running'],
  ['', null],
])('reads the state in %j', (stdout, state) => {
  expect(parseState(stdout)).toBe(state);
});
