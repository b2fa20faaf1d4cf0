import { linkTo, type PeerCase, type PeerSuite } from './peer-case.ts';

const head = `# Test suites of other servers

These cases come from the test suites of servers and clients with the same APIs. Each one is a request, and what its users expect of the
answer. \`npm run test:peers\` sends all of them to Hearth with the starter models; this page is generated from them
(\`test/peers/*.cases.ts\`).
`;

/** Content of `docs/contributing/peers.md`: the number of cases of each peer, and each case in which Hearth differs. */
export function peersMarkdown(suites: readonly PeerSuite[]): string {
  const peers = [...new Set(suites.map(({ peer }) => peer))];
  const casesOf = (peer: string) =>
    suites.filter((suite) => suite.peer === peer).flatMap(({ cases }) => cases);
  const row = (name: string, cases: readonly PeerCase[]) => {
    const differing = cases.filter(({ differs }) => differs !== undefined).length;
    return `| ${name} | ${cases.length} | ${cases.length - differing} | ${differing} |`;
  };
  const all = suites.flatMap(({ cases }) => cases);
  return [
    head,
    '| Peer | Cases | Same | Different |',
    '| --- | --- | --- | --- |',
    ...peers.map((peer) => row(peer, casesOf(peer))),
    row('All', all),
    ...peers.map((peer) => differences(peer, suites)),
    '',
  ].join('\n');
}

function differences(peer: string, suites: readonly PeerSuite[]): string {
  const rows = suites
    .filter((suite) => suite.peer === peer)
    .flatMap((suite) =>
      suite.cases.flatMap(({ users, test, differs }) =>
        differs === undefined
          ? []
          : [`| ${cell(users)} | ${cell(differs)} | [${cell(test)}](${linkTo(suite)}) |`],
      ),
    );
  if (rows.length === 0) return `\n## ${peer}\n\nNo difference.`;
  const table = ['| Users expect | Hearth | Test |', '| --- | --- | --- |', ...rows];
  return `\n## ${peer}\n\n${table.join('\n')}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
