#!/bin/sh
# A provider: it takes the calls for `--provider shell`, one after the other, and answers each.
cd "$(dirname "$0")/.." || exit
while id=$(python -m dotagent calls take --provider shell --wait); do
    if answer=$(python -m dotagent prompt --call "$id" | wc -w); then
        echo "Your prompt has $answer words." | python -m dotagent calls answer "$id"
    else
        python -m dotagent calls fail "$id" --hint "the model gave no answer: see the terminal it runs in"
    fi
done
