import sprite from '../../../openapi/look/icons.svg?no-inline';

export function Icon({ of }: { of: string }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`${sprite}#${of}`} />
    </svg>
  );
}
