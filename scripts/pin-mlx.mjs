// Writes src/engines/backends/mlx/mlx-requirements.txt: the packages of the MLX runtime with the hashes of their wheels
// for each platform and Python version, as pip reports them. Run `npm run pin:mlx` after changing the versions below.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const versions = {
  'mlx-lm': '0.32.2',
  mlx: '0.32.4',
  'mlx-cpu': '0.32.4',
  'mlx-metal': '0.32.4',
  anyio: '4.16.0',
  filelock: '4.2.11',
  fsspec: '2026.9.0',
  h11: '0.16.0',
  httpcore2: '2.16.2',
  httpx2: '2.16.2',
  'huggingface-hub': '2.4.0',
  idna: '3.20',
  jinja2: '3.1.6',
  markupsafe: '3.0.4',
  numpy: '2.4.6',
  packaging: '26.3',
  protobuf: '7.36.2',
  pyyaml: '6.0.3',
  regex: '2026.11.15',
  rich: '15.0.0',
  safetensors: '0.8.0',
  sentencepiece: '0.2.3',
  tokenizers: '0.23.3',
  tqdm: '4.70.1',
  transformers: '5.23.0',
  truststore: '0.10.5',
  'typing-extensions': '4.16.0',
};

const pythons = ['3.11', '3.12', '3.13', '3.14'];
const manylinux = ['2_35', '2_34', '2_31', '2_28', '2_27', '2_17', '2_12', '2_5'];
const linux = (machine) =>
  [...manylinux.map((glibc) => `manylinux_${glibc}`), 'manylinux2014', 'manylinux1', 'linux'].map(
    (name) => `${name}_${machine}`,
  );
const platforms = [
  { tags: linux('x86_64'), other: 'mlx-metal' },
  { tags: linux('aarch64'), other: 'mlx-metal' },
  {
    tags: ['14_0', '13_0', '12_0', '11_0', '10_9'].flatMap((version) => [
      `macosx_${version}_arm64`,
      `macosx_${version}_universal2`,
    ]),
    other: 'mlx-cpu',
  },
];
const markers = {
  'mlx-cpu': ' ; sys_platform == "linux"',
  'mlx-metal': ' ; sys_platform == "darwin"',
};

const hashes = new Map(Object.keys(versions).map((name) => [name, new Set()]));
const folder = await mkdtemp(join(tmpdir(), 'pin-mlx-'));
try {
  for (const { tags, other } of platforms) {
    for (const python of pythons) {
      const report = join(folder, 'report.json');
      const packages = Object.entries(versions)
        .filter(([name]) => name !== other)
        .map(([name, version]) => `${name}==${version}`);
      const options = '--dry-run --ignore-installed --no-deps --quiet --only-binary=:all:'.split(
        ' ',
      );
      const target = ['--python-version', python, ...tags.flatMap((tag) => ['--platform', tag])];
      await run('python3', [
        '-m',
        'pip',
        'install',
        ...options,
        ...target,
        '--target',
        join(folder, 'none'),
        '--report',
        report,
        ...packages,
      ]);
      for (const { metadata, download_info: info } of JSON.parse(await readFile(report, 'utf8'))
        .install) {
        const name = metadata.name.toLowerCase().replaceAll(/[-_.]+/g, '-');
        hashes.get(name).add(info.archive_info.hashes.sha256);
      }
      console.info(`${tags[0]} ${python}`);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const lines = Object.entries(versions).map(([name, version]) => {
  const found = [...hashes.get(name)]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((hash) => ` \\\n    --hash=sha256:${hash}`);
  return `${name}==${version}${markers[name] ?? ''}${found.join('')}\n`;
});
await writeFile('src/engines/backends/mlx/mlx-requirements.txt', lines.join(''));
