import { useState } from 'react';
import { access } from '../api/access.ts';
import { queryClient } from '../api/query-client.ts';
import { useStore } from '../api/store.ts';
import { texts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Field, inputClass } from '../ui/field.tsx';
import { Flame } from './brand.tsx';

/** Asks for a token, after the server refused a request without a valid one. */
export function TokenPage() {
  const { refusal } = useStore(access);
  const [token, setToken] = useState('');
  const [isRemembered, setRemembered] = useState(false);
  const submit = () => {
    if (token.trim() === '') return;
    access.signIn(token.trim(), { isRemembered });
    void queryClient.resetQueries();
  };
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <form
        className="flex w-full max-w-md flex-col gap-4 rounded-2xl border bg-raised p-6 shadow-pop"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className="flex items-center gap-2.5">
          <Flame size={26} />
          <h1 className="text-lg font-semibold">{texts.token.title}</h1>
        </div>
        <p className="text-sm text-muted">{texts.token.explanation}</p>
        <p className="flex items-center gap-2 rounded-lg bg-code py-1 pr-1 pl-3 font-mono text-[13px]">
          <span className="min-w-0 flex-1 break-words">{texts.token.command}</span>
          <CopyButton text={texts.token.command} />
        </p>
        <Field label={texts.token.label} error={refusal}>
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
        <Button type="submit" variant="primary" disabled={token.trim() === ''}>
          {texts.token.submit}
        </Button>
      </form>
    </main>
  );
}
