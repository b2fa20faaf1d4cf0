import type { ReasoningCapability } from './model.ts';
import { scanTemplate } from './template-scan.ts';

export interface TemplateCapabilities {
  readonly isTrainedForToolUse: boolean;
  readonly reasoning: ReasoningCapability | null;
}

/**
 * Derives the capabilities of a model from its chat template (Jinja). Tools: the template uses the variable `tools`.
 * Reasoning: the variable `reasoning_effort` means three levels, `enable_thinking` means on and off. If the template
 * opens a thought in every answer, reasoning can't be switched off.
 */
export function templateCapabilities(template: string | null): TemplateCapabilities {
  if (template === null) return { isTrainedForToolUse: false, reasoning: null };
  const { code, generationPrompt } = scanTemplate(template);
  return {
    isTrainedForToolUse: mentions(code, 'tools'),
    reasoning: reasoningCapability(template, code, generationPrompt),
  };
}

function reasoningCapability(
  template: string,
  code: string,
  generationPrompt: string,
): ReasoningCapability | null {
  if (mentions(code, 'reasoning_effort'))
    return { allowedOptions: ['low', 'medium', 'high'], default: 'medium' };
  if (mentions(code, 'enable_thinking'))
    return { allowedOptions: ['off', 'on'], default: thinksByDefault(code) ? 'on' : 'off' };
  // The engine can't set a variable with this name.
  if (mentions(code, 'thinking')) return null;
  const opensThought = /<think(?:ing)?>\s*$/.test(generationPrompt);
  return opensThought || isDeepSeekR1(template) ? { allowedOptions: ['on'], default: 'on' } : null;
}

/** True if the code uses a variable of this name; a field of another variable does not count. */
function mentions(code: string, name: string): boolean {
  return new RegExp(String.raw`(?<![\w.])${name}(?!\w)`).test(code);
}

/** The default that the template sets for `enable_thinking`. */
const ownDefault =
  /set enable_thinking = [^\n]{0,80}?\b(true|false)\b|enable_thinking ?\| ?default\((true|false)/i;
/** Conditions that only an explicit `false` satisfies. */
const offWhenFalse =
  /enable_thinking (?:is|==) false|enable_thinking is defined and not enable_thinking|enable_thinking is (?:not defined|undefined) or/i;

/** True if the model thinks when `enable_thinking` is not set. */
function thinksByDefault(code: string): boolean {
  const found = ownDefault.exec(code);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? offWhenFalse.test(code) : value.toLowerCase() === 'true';
}

/** DeepSeek R1's first templates leave the opening tag to the model and only remove thoughts from the history. */
function isDeepSeekR1(template: string): boolean {
  return template.includes('<｜Assistant｜>') && template.includes('</think>');
}
