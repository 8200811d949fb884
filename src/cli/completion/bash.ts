/** Completion for bash 3.2 and later: no associative arrays, no `mapfile`, `compopt` only where it is known. */

import { type Place, type Value, valuedFlags, wordOf } from './tree.ts';

export function bashScript(places: readonly Place[]): string {
  return `# Completion of forensics for bash. Try it with: source <(forensics completion bash)

# What stands after a command: its commands, its options, and what its argument may be.
_forensics_place() {
  commands='' options='' argument=''
  case "$1" in
${places.map(placeCase).join('\n')}
  *) return 1 ;;
  esac
}

# What the value of an option may be; fails for an option that takes none.
_forensics_value() {
  case "$1 $2" in
${valuedFlags(places).map(valueCase).join('\n')}
  *) return 1 ;;
  esac
}

_forensics_offer() {
  local line
  case "$1" in
  file | folder)
    type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
    local action=-f
    [ "$1" = folder ] && action=-d
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$action" -- "$2")
    ;;
  *)
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$1" -- "$2")
    ;;
  esac
}

_forensics() {
  local commands options argument value='' place='' option='' i word
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  _forensics_place ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    # Bash parts --option=value into three words.
    [ "$word" = '=' ] && continue
    if [ -n "$option" ]; then
      option=''
    elif [ "$word" = '--' ]; then
      options='' commands=''
      break
    elif _forensics_value "$place" "$word"; then
      option="$word"
    elif [[ " $commands " == *" $word "* ]]; then
      place="\${place:+$place }$word"
      _forensics_place "$place"
    fi
  done
  [ "$current" = '=' ] && current=''
  if [ -n "$option" ]; then
    _forensics_value "$place" "$option"
    _forensics_offer "$value" "$current"
  elif [[ "$current" == -* && -n "$options" ]]; then
    _forensics_offer "$options" "$current"
  else
    _forensics_offer "$commands" "$current"
    _forensics_offer "$argument" "$current"
  fi
}

complete -F _forensics forensics
`;
}

function placeCase({ path, commands, flags, argument }: Place): string {
  const names = commands.map(({ name }) => name).join(' ');
  const options = flags.map(({ name }) => name).join(' ');
  return `  '${path}') commands='${names}' options='${options}' argument='${wordOf(argument)}' ;;`;
}

function valueCase({ flag, value }: { flag: string; value: Value | null }): string {
  return `  '${flag}') value='${wordOf(value)}' ;;`;
}
