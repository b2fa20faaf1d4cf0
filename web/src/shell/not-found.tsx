import { Link } from '@tanstack/react-router';
import { texts } from '../texts/texts.ts';
import { buttonClass } from '../ui/button.tsx';

export function NotFound() {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-24 text-center">
      <h1 className="text-lg font-semibold">{texts.errors.notFoundTitle}</h1>
      <p className="text-sm text-muted">{texts.errors.notFoundHint}</p>
      <Link to="/chat" className={buttonClass({ variant: 'primary' })}>
        {texts.errors.toChat}
      </Link>
    </div>
  );
}
