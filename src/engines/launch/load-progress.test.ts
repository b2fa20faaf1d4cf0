import { expect, it } from 'vitest';
import { trackLoadProgress } from './load-progress.ts';

const stages = ['text_model', 'mmproj_model'];

function line(current: string, value: number): string {
  const payload = { stages, current, value };
  return `cmd_child_to_router:state:${JSON.stringify({ state: 'loading', payload })}\n`;
}

it('reports a fraction over all stages that never decreases', () => {
  const fractions: number[] = [];
  const progress = trackLoadProgress((fraction) => fractions.push(fraction));
  const output = [
    line('text_model', 0),
    line('text_model', 0.5),
    line('text_model', 0.4),
    line('mmproj_model', 0),
    'cmd_child_to_router:state:{"state":"ready","payload":{}}\n',
  ].join('');
  progress.accept(output.slice(0, 150));
  progress.accept(output.slice(150));
  progress.finish();
  expect(fractions).toEqual([0, 0.25, 0.5, 1]);
});

it('ignores other output', () => {
  const fractions: number[] = [];
  const progress = trackLoadProgress((fraction) => fractions.push(fraction));
  progress.accept(
    'hello\ncmd_child_to_router:state:{oops\ncmd_child_to_router:state:{"state":1}\n',
  );
  expect(fractions).toEqual([]);
});
