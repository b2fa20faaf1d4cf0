import { useState } from 'react';
import { access } from '../api/access.ts';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { readSession } from '../api/session.ts';
import { refusalText } from '../texts/refusal-text.ts';
import { texts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Field, inputClass } from '../ui/field.tsx';
import { messageOf } from '../ui/toasts.ts';

const tokenCommand = 'hearth token create --name browser';

/** Takes a token, and signs in with it if the server takes it. */
export function TokenForm({
  refusal,
  onSignIn,
}: {
  /** Message of the server that refused the previous token. */
  readonly refusal?: string | undefined;
  readonly onSignIn?: () => void;
}) {
  const [token, setToken] = useState('');
  const [isRemembered, setRemembered] = useState(false);
  const [isChecking, setChecking] = useState(false);
  const [failure, setFailure] = useState<string>();
  const error = failure ?? (refusal === undefined ? undefined : refusalText(refusal));
  const submit = async () => {
    const entered = token.trim();
    if (entered === '' || isChecking) return;
    setChecking(true);
    try {
      const { type } = await readSession(entered);
      // A server that needs no token ignores one that is not its own.
      if (type === 'anonymous') return setFailure(refusalText(''));
      access.signIn(entered, { isRemembered });
      void queryClient.resetQueries();
      onSignIn?.();
    } catch (thrown) {
      setFailure(thrown instanceof ApiError ? refusalText(thrown.message) : messageOf(thrown));
    } finally {
      setChecking(false);
    }
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p className="text-sm text-muted">{texts.token.explanation}</p>
      <p className="flex items-center gap-2 rounded-lg bg-code py-1 pe-1 ps-3 font-mono text-[13px]">
        <span className="min-w-0 flex-1 break-words">{tokenCommand}</span>
        <CopyButton text={tokenCommand} />
      </p>
      <Field label={texts.token.label} error={error}>
        {(attributes) => (
          <input
            {...attributes}
            type="password"
            autoComplete="off"
            spellCheck={false}
            className={inputClass}
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        )}
      </Field>
      <label className="flex items-start gap-2.5 text-sm">
        <input
          type="checkbox"
          className="mt-1 accent-accent"
          checked={isRemembered}
          onChange={(event) => setRemembered(event.target.checked)}
        />
        <span>
          {texts.token.remember}
          <span className="block text-xs text-muted">{texts.token.rememberHint}</span>
        </span>
      </label>
      <Button type="submit" variant="primary" disabled={token.trim() === '' || isChecking}>
        {texts.token.submit}
      </Button>
    </form>
  );
}
