// Writes the Homebrew formula and the Scoop manifest of a release: node scripts/release-manifests.mjs TARBALL REPOSITORY
// REPOSITORY is the URL whose releases have the tarball. The files are written beside it.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Homebrew allows 80 characters, and neither an article at the beginning nor a period at the end.
const description =
  'Local model server with a web app and the APIs of OpenAI, Anthropic and Ollama';

/**
 * A formula for Homebrew (https://docs.brew.sh/Formula-Cookbook). Homebrew would compile SQLite, which its Node.js
 * already contains, so scripts of packages don't run.
 */
export function homebrewFormula({ version, repository, sha256 }) {
  return `class Hearth < Formula
  desc "${description}"
  homepage "${repository}"
  url "${tarballUrl(repository, version)}"
  sha256 "${sha256}"
  license "Apache-2.0"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args, "--ignore-scripts"
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hearth --version")
  end
end
`;
}

/** A manifest for Scoop on Windows (https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests). */
export function scoopManifest({ version, repository, sha256 }) {
  // With this name, Scoop does not unpack the tarball: npm installs the dependencies only from a whole one.
  const file = 'hearth.tarball';
  return {
    version,
    description,
    homepage: repository,
    license: 'Apache-2.0',
    depends: 'nodejs-lts',
    url: `${tarballUrl(repository, version)}#/${file}`,
    hash: sha256,
    installer: {
      script: [
        `Rename-Item "$dir\\${file}" 'hearth.tgz'`,
        'npm install --global --prefix "$dir" --ignore-scripts --no-audit --no-fund "$dir\\hearth.tgz"',
        'if ($LASTEXITCODE -ne 0) { abort "npm could not install Hearth." }',
        'Remove-Item "$dir\\hearth.tgz"',
      ],
    },
    bin: 'hearth.cmd',
    checkver: { github: repository },
    autoupdate: {
      url: `${tarballUrl(repository, '$version')}#/${file}`,
      hash: { url: '$baseurl/SHA256SUMS' },
    },
  };
}

function tarballUrl(repository, version) {
  return `${repository}/releases/download/v${version}/hearth-${version}.tgz`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tarball = '', repository = ''] = process.argv.slice(2);
  const version = /^hearth-(.+)\.tgz$/.exec(basename(tarball))?.[1];
  if (version === undefined || !URL.canParse(repository)) {
    throw new Error('Usage: node scripts/release-manifests.mjs FOLDER/hearth-VERSION.tgz URL');
  }
  const sha256 = createHash('sha256')
    .update(await readFile(tarball))
    .digest('hex');
  const release = { version, repository, sha256 };
  const folder = dirname(tarball);
  await writeFile(join(folder, 'hearth.rb'), homebrewFormula(release));
  const manifest = JSON.stringify(scoopManifest(release), null, 4);
  await writeFile(join(folder, 'hearth.json'), `${manifest}\n`);
}
