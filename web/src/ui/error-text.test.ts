import { expect, it } from 'vitest';
import { errorText } from './error-text.ts';

it('says what can be done about an error that it knows', () => {
  expect(errorText({ message: 'The disk is full', code: 'storage_failed' })).toBe(
    'The disk is full. Free some space, then regenerate the answer.',
  );
  expect(errorText({ message: 'No such model.', code: 'model_not_found' })).toBe(
    'No such model. Choose another model.',
  );
});

it('leaves the messages of other errors unchanged', () => {
  expect(errorText({ message: 'Too long', code: 'invalid_value' })).toBe('Too long');
  expect(errorText({ message: 'stopped' })).toBe('stopped');
});
