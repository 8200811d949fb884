/** Completion for zsh, with descriptions; as a file of `fpath` or sourced. */

import { type Place, type Value, valuedFlags, wordOf } from './tree.ts';

// `commands`, `options`, `path` and `words` mean something to zsh itself, so ours have other names.
export function zshScript(places: readonly Place[]): string {
  return `#compdef forensics
# Completion of forensics for zsh. Try it with: source <(forensics completion zsh)

# What stands after a command: its commands, its options, and what its argument may be.
_forensics_place() {
  names=() flags=() argument=''
  case "$1" in
${places.map(placeCase).join('\n')}
  esac
}

# What the value of an option may be; fails for an option that takes none.
_forensics_value() {
  case "$1 $2" in
${valuedFlags(places).map(valueCase).join('\n')}
  (*) return 1 ;;
  esac
}

_forensics_offer() {
  case "$1" in
  ('') ;;
  (file) _files ;;
  (folder) _files -/ ;;
  (*) compadd -- \${=1} ;;
  esac
}

_forensics() {
  local -a names flags
  local argument='' value='' place='' option='' word
  local -i i
  _forensics_place ''
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n "$option" ]]; then
      option=''
    elif [[ "$word" == '--' ]]; then
      flags=() names=()
      break
    elif _forensics_value "$place" "$word"; then
      option="$word"
    elif ((\${names[(I)\${(b)word}:*]})); then
      place="\${place:+$place }$word"
      _forensics_place "$place"
    fi
  done
  if [[ -z "$option" && "$PREFIX" == --*=* ]]; then
    option="\${PREFIX%%=*}"
    compset -P '*='
  fi
  if [[ -n "$option" ]]; then
    _forensics_value "$place" "$option" && _forensics_offer "$value"
  elif [[ "$PREFIX" == -* ]] && (($#flags)); then
    _describe -o 'option' flags
  else
    (($#names)) && _describe 'command' names
    _forensics_offer "$argument"
  fi
}

# As a file of fpath this is the body of the function; sourced, it only has to be known.
if [[ "$funcstack[1]" == '_forensics' ]]; then
  _forensics "$@"
else
  compdef _forensics forensics
fi
`;
}

function placeCase({ path, commands, flags, argument }: Place): string {
  const names = commands.map(described).join(' ');
  const options = flags.map(described).join(' ');
  return `  (${quoted(path)}) names=(${names}) flags=(${options}) argument=${quoted(wordOf(argument))} ;;`;
}

function valueCase({ flag, value }: { flag: string; value: Value | null }): string {
  return `  (${quoted(flag)}) value=${quoted(wordOf(value))} ;;`;
}

function described({ name, description }: { name: string; description: string }): string {
  return quoted(`${name}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
