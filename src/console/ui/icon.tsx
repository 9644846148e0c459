import sprite from '../../../openapi/look/icons.svg?no-inline';

/** A symbol of the sprite, beside a word that says the same. */
export function Icon({ of }: { of: string }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${sprite}#${of}`} />
    </svg>
  );
}
