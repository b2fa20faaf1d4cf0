import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { signIn } from '../api/sign-in.ts';
import { refusalText } from '../texts/refusal-text.ts';
import { texts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Field, inputClass } from '../ui/field.tsx';
import { messageOf } from '../ui/toasts.ts';

const tokenCommand = 'hearth token create --name browser';

/** A form for a token. Signs in if the server accepts the token. */
export function TokenForm({
  refusal,
  onSignIn,
}: {
  /** The server's message about the previous token, which was refused. */
  readonly refusal?: string | undefined;
  readonly onSignIn?: () => void;
}) {
  const [token, setToken] = useState('');
  const [isChecking, setChecking] = useState(false);
  const [failure, setFailure] = useState<string>();
  const error = failure ?? (refusal === undefined ? undefined : refusalText(refusal));
  const submit = async () => {
    const entered = token.trim();
    if (entered === '' || isChecking) return;
    setChecking(true);
    try {
      await signIn({ token: entered });
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
      <p className="text-sm text-muted">{texts.token.otherWays}</p>
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
      <p className="text-xs text-muted">{texts.token.stays}</p>
      <Button type="submit" variant="primary" disabled={token.trim() === '' || isChecking}>
        {texts.token.submit}
      </Button>
    </form>
  );
}
