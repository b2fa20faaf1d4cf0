import { access } from '../api/access.ts';
import { useStore } from '../api/store.ts';
import { texts } from '../texts/texts.ts';
import { Flame } from './brand.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { TokenForm } from './token-form.tsx';

/** Asks for a token after the server refused a request. */
export function TokenPage() {
  const { refusal } = useStore(access);
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-full max-w-md flex-col gap-4 rounded-2xl border bg-raised p-6 shadow-pop">
        <div className="flex items-center gap-2.5">
          <Flame size={26} />
          <h1 className="flex-1 text-lg font-semibold">{texts.token.title}</h1>
          <LanguageMenu />
        </div>
        <TokenForm refusal={refusal} />
      </div>
    </main>
  );
}
