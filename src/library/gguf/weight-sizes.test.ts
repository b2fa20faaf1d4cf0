import { describe, expect, it } from 'vitest';
import { partOf, weightSizes } from './weight-sizes.ts';

describe('partOf', () => {
  it.each([
    ['blk.0.attn_q.weight', 'layer 0'],
    ['blk.47.ffn_down_exps.weight', 'experts 47'],
    ['blk.3.ffn_gate_up_exps.weight', 'experts 3'],
    ['blk.3.ffn_up_chexps.weight', 'experts 3'],
    ['blk.3.ffn_down_exps.bias', 'experts 3'],
    ['blk.3.ffn_down_shexp.weight', 'layer 3'],
    ['blk.3.ffn_gate_inp.weight', 'layer 3'],
    ['token_embd.weight', 'embedding'],
    ['per_layer_token_embd.weight', 'input'],
    ['output.weight', 'logits'],
    ['output_norm.weight', 'output'],
    ['blk.4096.attn_q.weight', 'output'],
    ['blk.99999.attn_q.weight', 'output'],
    ['', 'output'],
  ])('of %s is %s', (name, part) => {
    expect(partOf(name)).toBe(part);
  });
});

describe('weightSizes', () => {
  it('sums up layers, their experts, and what is before and after them', () => {
    const parts = new Map([
      ['layer 0', 10],
      ['layer 2', 12],
      ['experts 2', 30],
      ['embedding', 100],
      ['input', 7],
      ['logits', 90],
      ['output', 1],
    ]);
    expect(weightSizes(parts)).toEqual({
      inputBytes: 107,
      outputBytes: 91,
      layers: [
        { bytes: 10, expertBytes: 0 },
        { bytes: 0, expertBytes: 0 },
        { bytes: 42, expertBytes: 30 },
      ],
    });
  });

  it('counts the embedding twice if it is the output, too', () => {
    const parts = new Map([['embedding', 100]]);
    expect(weightSizes(parts)).toEqual({ inputBytes: 100, outputBytes: 100, layers: [] });
  });
});
