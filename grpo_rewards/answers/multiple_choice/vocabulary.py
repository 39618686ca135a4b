"""The words with which a statement judges options, by what they mean, for the languages that are known.

Look here if a plain sentence such as "nos quedamos con la D" is not read in some language: ``polarity`` reads a
statement only if it knows every word of it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

__all__ = ["WITHOUT_SPACES", "folded_words", "meaning_of", "meanings"]

WITHOUT_SPACES = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # Thai, Japanese, Chinese, Korean
ARABIC_LETTERS = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ۀ": "ه"})
STRIPPED_MARKS = re.compile("[\u0300-\u036f\u0640\u064b-\u0655\u200c\u200d]")  # accents, and what only decorates Arabic

# What a phrase does in a statement. Phrases are parted by "/"; of several meanings the first counts; "richtig-" is
# a stem.
PHRASES = {
    # gives a reason, which is not read
    "because": """
because/since/weil/denn/da nämlich/car/parce que/puisque/porque/ya que/pues/pois/já que/perché/poiché
/потому что/так как/ведь/бо/тому що/оскільки/bo/ponieważ/gdyż/omdat/want/eftersom/därför att/fordi/çünkü/zira
/vì/bởi vì/karena/sebab/γιατί/επειδή/διότι/لأن/لانه/لأنه/لأنها/چون/زیرا/क्योंकि/কারণ/เพราะ/เนื่องจาก/因为/由于
/なぜなら/왜냐하면
""",
    # articles
    "article": """
the/a/an/el/los/las/un/una/unos/der/die/das/dem/den/des/ein/eine/einer/einem/le/les/du/l/il/lo/gli/um/uma/os
/as/het/een/det/ett
""",
    # calls an option right
    "right": """
past bij/passt zu/passt zum/hört zu/uyuyor/uyar/pasuje do/sesuai dengan/khớp với/ταιριάζει/phù hợp/hợp lý
/満たして/満たしている/満たしています/一致している/適している/ふさわしい/ถูกต้องที่สุด/ที่สุด/เหมาะสมที่สุด
/일치하는/부합하는/부합한다/해당하는/überzeugt/überzeug-/convainc/convince/strongest/safest/closest/soundest
/clearest/likeliest/wise/coherente/coherent-/coerent-/kloppen/klopt-/einleuchtend/plausibelste/pertinent-
/pertinente/certa/acertad-/подходящ-/trafn-/passar/treff-/gyldig/richtig-/korrekt-/zutreffend-/stimm-
/правильн-/poprawn-/prawidłow-/właściw-/corrett-/esatt-/giust-/juist-/riktig-/rätt-/doğru-/benar-/σωστ-/صحيح-
/সঠিক-/ajust-/corresponde-/respect-/rispett-/respeit-/cumpl-/convien-/convé-/sesuai-/uygun-/подход-
/відповідає-/pasuj-/klopp-/mejor/meilleur-/miglior-/melhor-/beste/besten/лучш-/najleps-/bäst-/en doğru/terbaik
/accounts for/entspricht/加上/一致/相符/吻合/适当/恰当/妥当/가장 적절/적절/알맞-/알맞은/알맞다/일치한다
/일치합니다/correctas/correctes/corrette/corretas/верны/правильны/poprawne/korrekta/riktige/indicada/acertado
/elegida/buena/bueno/trifft/erfüllt/passend/passende/exacts/satisfait/remplit/soddisfa/satisfaz/atende
/удовлетворяет/соответствует/spełnia/voldoet/uppfyller/oppfyller/sağlar/memenuhi/thỏa mãn/ικανοποιεί/يحقق
/يناسب/مناسب/می‌خورد/满足/对应/満たす/当てはまる/該当する/만족한다/만족합니다/해당한다/적합하다/दुरुस्त
/উপযুক্ত/correct/right/true/best/valid/accurate/appropriate/suitable/proper/fitting/fits/fit/satisfies/satisfy
/works/holds/stands/holds up/matches/meets/qualifies/survives/applies/supported/consistent/confirmed
/most plausible/most defensible/✓/✔/✅/☑/expected/intended/keyed/credited/looking for/look for/they're after
/they are after/speaks for/correcto/correcta/correctos/cierta/cierto/verdadera/verdadero/valida/valido
/acertada/adecuada/cumple/richtig/richtige/richtigen/richtiges/korrekt/korrekte/zutreffend/passt/stimmt
/trifft zu/juste/bonne/bon/exacte/exact/vraie/vrai/convient/valable/correto/correta/certo/verdadeira
/verdadeiro/adequada/corretta/corretto/giusta/giusto/esatta/esatto/vera/vero/верно/верный/верная/верна/верен
/верным/верной/правильный/правильная/правильно/правильным/правильной/подходит/правильна/вірна/вірно/вірний
/правильний/підходить/prawidłowa/prawidłową/prawidłowe/prawidłowy/poprawna/poprawną/poprawny/właściwa/pasuje
/juist/juiste/goed/goede/klopt/rätt/rätta/riktigt/riktig/rigtig/rigtige/stämmer/stemmer/doğru/doğrudur/doğrusu
/tepat/benar/đúng/chính xác/σωστό/σωστή/σωστός/σωστά/ορθή/ορθό/صحيح/صحيحة/الصحيح/الصحيحة/صحيحا/الأصح/درست/صحیح
/درست‌ترین/सही/उचित/सत्य/সঠিক/ঠিক/সত্য/ถูกต้อง/ถูก/เหมาะสม/正确/对/对的/正解/最合适/最佳/最恰当/最为恰当/符合
/符合题意/符合题意的/成立/正しい/適切/最も適切/最も適当/が適切/맞습니다/맞다/맞는/옳다/옳은/옳습니다/올바른
/적절한/적절하다
""",
    # calls it wrong, or rejects it
    "wrong": """
étant fausses/étant erronées/erronées/están fuera/estão fora/fuori gioco/sono fuori/fallen heraus/contradict-
/الخاطئة/الخاطئ/الخطأ/الخاطئه/incoherente/incoerente/weakest/kann weg/contradice/contredit/contraddice
/contradiz/widerspricht/противоречит/sprzeczn-/motsäger/fehlerhaft-/falsch-/incorrect-/incorret-/erróne-
/erronée-/equivocad-/sbagliat-/scorrett-/неверн-/неправильн-/ошибочн-/невірн-/błędn-/nieprawidłow-/niepoprawn-
/onjuist-/felaktig-/yanlış-/λανθασμέν-/descartad-/eliminad-/ausgeschlossen-/исключ-/виключ-/wyklucz-/peor
/schlecht-/pire/peggio-/pior/хуже/хуш-/least/worst/不一致/不相符/不符/不符合/不当/不适当/不恰当/부적절
/부적절하다/不適切/dışında/hatalı-/keliru/terburuk/falsas/falsos/incorrectas/incorrectos/fausses/false
/sbagliate/errate/erradas/incorretas/неверны/неправильны/ошибочны/невірні/неправильні/błędne/nieprawidłowe
/onjuiste/felaktiga/felaktigt/gale/scheiden aus/fallen weg/fallen aus/entfallen/fallen af/vallen af/valt af
/odpada/odpadają/отпадают/відпадає/відпадають/quedan descartadas/queda descartada/caen/sont éliminées
/sont exclues/si escludono/sono escluse/elenir/elenmiştir/dieliminasi/bị loại/تستبعد/مستبعد/مستبعدة/رد می‌شود
/حذف می‌شود/गलत हैं/বাতিল/wrong/incorrect/invalid/untrue/mistaken/fails/fail/failing/ruled out/rule out
/ruling out/eliminated/eliminate/excluded/exclude/rejected/reject/discarded/discard/contradicted/contradict
/contradicts/impossible/inconsistent/crossed out/can be ruled out/can be eliminated/can be excluded
/can rule out/dismissed/dismiss/left out/distractor/the distractor/trap/tempting/implausible/✗/✘/❌/❎/🚫
/contraindicated/incorrecta/incorrecto/falsa/falso/descarta/descartada/descartado/descartamos/errada/errado
/sbagliata/sbagliato/esclusa/falsch/falsche/falschen/scheidet aus/ausgeschlossen/entfällt/fällt weg/faux
/fausse/mauvaise/incorrecte/éliminée/exclue/éliminé/неверно/неверный/неверна/неверен/неправильный/неправильно
/исключён/исключаем/отпадает/невірно/невірна/неправильна/błędna/błędny/nieprawidłowa/niepoprawna/fout/foute
/onjuist/fel/forkert/feil/yanlış/yanlıştır/salah/sai/λάθος/خطأ/خاطئ/خاطئة/نادرست/غلط/اشتباه/गलत/ভুল/ผิด/错误
/错误的/错/错的/不正确/不对/不成立/間違い/誤り/틀렸습니다/틀리다/틀린
""",
    # says that it is left
    "remains": """
sobrou/quedaron/restò/sıyrıldı/kaldı/geriye kaldı/zostały/ostał/non rimane che/non resta che/no queda más que
/no queda sino/restou/restaron/restaram/quedó/blieb/verbleiben/rimasta/rimasto/осталось/остающийся/zostało
/bleef/återstod/remains/remain/remaining/left/is left/am left/are left/leaves/leave/leaves us/leaving
/still standing/survivor/queda/quedan/nos quedamos/me quedo/quedamos/quedando/bleibt/bleiben/übrig bleibt
/übrig/verbleibt/bleibt übrig/reste/restant/restante/resta/restam/restando/sobra/sobrando/rimane/rimaniamo
/rimanendo/restiamo/fica/ficamos/остаётся/остается/остаются/остался/осталась/залишається/лишається/залишився
/zostaje/pozostaje/blijft/blijft over/kvar blir/blir kvar/återstår/gjenstår/tilbage er/står tilbage/kalır
/kalıyor/kalan/kalmaktadır/còn lại/chỉ còn/chỉ còn lại/tersisa/tinggal/sisanya/yang tersisa/μένει/απομένει
/يبقى/تبقى/يتبقى/باقی می‌ماند/باقی/می‌ماند/باقی مانده/बचता/बचता है/बचा/বাকি থাকে/বাকি/เหลือ/คงเหลือ/เหลือเพียง
/剩下/只剩/剩/剩余/余下/剩下的/剩下的是/残る/残るの/残った/残ります/残り/남는다/남는/남습니다/남은/남게 된다
""",
    # denies
    "not": """
อย่า/ห้าม/jangan/đừng/않는/않은/않습니다/않다/않고/않으며/못하는/못한/못한다/안/ません/なく/ず/auch nicht/未
/未能/无法/并未/opposite/the opposite/reverse/contrary/second best/next best/lo contrario/gegenteil
/contraire/contrario/наоборот/przeciwnie/olmaz/olamaz/değildi/nooit/aldrig/asla/ليسا/not/never/neither/nor
/isn't/wasn't/aren't/doesn't/don't/didn't/can't/cannot/can not/couldn't/won't/wouldn't/shouldn't/none/none of
/nothing/no option/no answer/no choice/no other/nobody/unlikely/hardly/no/no es/nicht/kein/keine/keiner/pas
/non/não/не/нет/ні/nie/niet/geen/inte/ingen/ikke/değil/değildir/không/không phải/bukan/tidak/δεν/ليس/ليست/غير
/لا/نیست/नहीं/নয়/না/ไม่/ไม่ใช่/不/不是/并非/非/没有/ではない/じゃない/でない/ではありません/ない/아니다
/아닙니다/아닌/아니라
""",
    # makes an exception
    "except": """
all but/anything but/everything but/except/except for/but for/other than/apart from/besides/excluding/excepto
/salvo/außer/sauf/tranne/eccetto/exceto/кроме/крім/oprócz/behalve/utom/undtatt/hariç/trừ/kecuali/εκτός/إلا
/ما عدا/جز/छोड़कर/ছাড়া/ยกเว้น/除了
""",
    # denies, unless something else does: "non … neanche"
    "concord": """
neanche/neppure/tampoco/ni/nem/ani/ни/ni siquiera/non plus/ninguna/ninguno/nessuna/nessuno/nenhuma/aucun/aucune/jamais
/niemals/nunca/mai/jamas/никогда/nigdy/żadna/também não/тоже не/też nie
""",
    # names the answer
    "answer": """
antwort-/réponse-/respuesta-/resposta-/rispost-/ответ-/відповід-/odpowied-/antwoord-/cevab-/yanıt-/jawaban-
/উত্তর-/απαντησ-/svar/only possible answer/only possible/seule réponse possible/seule possible
/única respuesta posible/única posible/einzig mögliche/einzige mögliche/unica risposta possibile
/única resposta possível/единственный возможный/risultato/result/answer/solution/respuesta/antwort/lösung
/réponse/resposta/gabarito/risposta/ответ/відповідь/odpowiedź/odpowiedzią/antwoord/svaret/cevap/yanıt/jawaban
/jawabannya/đáp án/câu trả lời/απάντηση/الإجابة/الجواب/إجابة/فالإجابة/فالجواب/پاسخ/جواب/उत्तर/जवाब/উত্তর/คำตอบ
/答案/答え/正答/解答/정답/답/답안
""",
    # chooses
    "choose": """
kies voor/ik kies voor/memilih/ตอบ/ตอบว่า/обираю/retenir/qu'il faut retenir/faut retenir/il faut retenir
/à retenir/на выбор/tenerse/quedarse con/tout indique/behalten/assinale/assinalar/marque/marcar/assinalamos
/scegliere/elegir/choisir/wählen/выбрать/wybrać/kiezen/välja/seçmek/seleccionamos/escogemos/cochez/on coche
/il faut cocher/cocher/kies ik/wähle ich/tippe auf/fällt auf/entscheide ich mich für/я выбираю/stawiam na
/optamos por/fico com/ficamos com/jag väljer/jeg velger/jeg vælger/tercihim/saya pilih/tôi chọn/मैं चुनूँगा
/選択する/選びました/选定/고르겠습니다/changing it to/changing to/change it to/change to/changing my answer to
/switching to/correcting to/go for/going for/nos decantamos por/entscheide mich für/opto por/opte pour/choose
/pick/select/mark/take/go with/going with/i'd go with/i go with/settle on/tick/elijo/escojo/marco/elegimos
/marcamos/wähle/wählen wir/nehme/nehmen wir/choisis/je choisis/on choisit/je retiens/on retient/retenons
/escolho/marcaria/scelgo/scegliamo/direi/diría/dirais/ich sage/je dirais/выбираем/выбираю/обираємо/wybieram
/wybieramy/kies/kiezen we/väljer/seçeriz/seçiyorum/chọn/ta chọn/pilih/kita pilih/επιλέγω/επιλέγουμε/نختار
/أختار/चुनते/चुनें/เลือก/选/选择/選ぶ/選びます/고른다/선택한다
""",
    # depends on what was said before
    "then": """
then/in that case/dann/entonces/alors/então/allora/тогда/wtedy/dan/då/da
""",
    # supposes
    "would": """
would be/would/would have to be/sería/serían/quedaría/wäre/würde/serait/seraient/seria/seriam/sarebbe/было бы
/была бы/был бы/была б/був би/byłaby/byłby/byłoby/zou zijn/zou/skulle vara/ville være
""",
    # begins a conclusion
    "so": """
προκύπτει/випливає/wynika/следует/ergibt sich/folgt/se deduce/si evince/si deduce/on en déduit/segue-se
/resulta/conclui/deduz se/autrement dit/en otras palabras/con altre parole/in altre parole/em outras palavras
/mit anderen worten/anders gesagt/иными словами/innymi słowy/met andere woorden/med andra ord/in other words
/that is/concluímos que/se concluye que/concluimos que/on en conclut que/on conclut que/si conclude che
/concludiamo che/it follows that/follows that/we conclude that/it means that/isso significa que/es folgt dass
/folgt dass/значит что/следует что/wynika że/daaruit volgt dat/eso significa que/cela signifie que/das heißt
/de forma que/de modo que/de manera que/en definitiva/en resumen/en somme/en bref/bref/au final/enfin
/in sintesi/em suma/em resumo/kurzum/kurz gesagt/letztlich/schließlich/unterm strich/в итоге/итого/наконец
/podsumowując/kortom/til slut/till slut/kısacası/tóm lại/kesimpulannya/dengan demikian/في النهاية/إذا/ختاما
/در نهایت/इस प्रकार/इस तरह/অবশেষে/สรุป/สรุปแล้ว/总之/总而言之/结论/つまり/結局/즉/결론적으로/so/thus/therefore
/hence/consequently/accordingly/finally/ultimately/overall/in conclusion/luego/así que/por tanto/por lo tanto
/por eso/en conclusión/finalmente/also/daher/somit/deshalb/folglich/damit/demnach/insgesamt/donc/ainsi
/par conséquent/finalement/portanto/assim/logo/quindi/dunque/perciò/infine/поэтому/значит/следовательно
/таким образом/итак/отже/тому/тож/więc/zatem/a więc/dlatego/dus/daarom/alltså/så/därför/altså/derfor
/dolayısıyla/öyleyse/bu nedenle/sonuç olarak/jadi/maka/oleh karena itu/do đó/vì vậy/vậy nên/nên/άρα/επομένως
/οπότε/συνεπώς/لذلك/إذن/إذا فـ/وبالتالي/بالتالي/وعليه/بنابراین/پس/در نتیجه/अतः/इसलिए/तो/अंततः/অতএব/সুতরাং/তাই
/ดังนั้น/จึง/所以/因此/因而/故/于是/综上/综上所述/したがって/従って/よって/ゆえに/따라서/그러므로/그래서
""",
    # behind options: leaves these out
    "without": """
제외하면/제외하고/빼면/소거하면/elendiğinde/elenince/elersek/çıkarıldığında/हटाने पर/हटाने के बाद/छोड़ने पर
/বাদ দিলে/বাদ দেওয়ার পর/を除くと/を消去すると/除外/排除后/排除之后/排除
""",
    # begins what somebody thinks or says
    "that": """
that/que/che/dass/daß/что/що/że/dat/att/at/rằng/bahwa/ότι/πως/أن/ان/بأن/که/कि/যে/ว่า/是否/と
""",
    # the other options
    "others": """
others/the others/the other/rest/the rest/otras/otros/las otras/los otros/las demás/demás/resto/el resto
/anderen/andere/die anderen/übrigen/autres/les autres/outras/as outras/demais/as demais/altre/le altre
/gli altri/остальные/другие/инші/решта/pozostałe/inne/overige/andra/de andra/andre/de andre/diğer/diğerleri
/các đáp án khác/lainnya/yang lain/بقية/باقي/بقیه/अन्य/बाकी/অন্য/อื่น/อื่นๆ/其他/其余/其它/他の/ほかの
/それ以外/나머지/다른
""",
    # stresses
    "sure": """
clearly/certainly/definitely/obviously/undoubtedly/for sure/no doubt/without a doubt/without doubt/sin duda
/claramente/ganz klar/klar/eindeutig/ohne zweifel/zweifellos/sans aucun doute/sans doute/sem dúvida
/senza dubbio/без сомнения/конечно/bez wątpienia/ongetwijfeld/utan tvekan/kesinlikle/chắc chắn/pasti/بلا شك
/بدون شک/निश्चित रूप से/নিঃসন্দেহে/แน่นอน/显然/当然/间违いなく/間違いなく/당연히/확실히
""",
    # couples
    "is": """
kann nur/können nur/ne peut être que/solo puede ser/può essere solo/só pode ser/может быть только
/może być tylko/kan alleen/olabilir ancak/is/are/was/were/be/being/should be/must be/has to be/will be/should
/must/will/has/have/that's/it's/ought to be/seems/seems to be/looks/appears to be/turns out to be/'s/becomes
/does/do/es/son/debe ser/debería ser/tiene que ser/está/ist/sind/müsste/muss/sein/dürfte/sollte/lautet/lauten
/est/sont/doit être/devrait être/é/são/deve ser/deveria ser/è/sono/dovrebbe essere/essere/это/является
/являются/будет/должен быть/є/буде/to/jest/są/będzie/zijn/moet/är/vara/er/være/blir/dır/dir/dur/dür/tır/tir
/olur/olmalı/olmalıdır/là/sẽ là/phải là/adalah/ialah/yaitu/seharusnya/είναι/θα είναι/πρέπει να είναι/هو/هي
/يكون/تكون/است/می‌باشد/باشد/है/हैं/होगा/होगी/होना चाहिए/হল/হলো/হবে/คือ/เป็น/ได้แก่/是/为/就是/应为/应是/应该是
/应/应该/应当/です/である/だ/となる/になる/입니다/이다/이며/인
""",
    # adds nothing
    "light": """
ik/saya/tôi/ich/je/yo/eu/io/я/ja/jag/jeg/ben/εγώ/أنا/من/मैं/আমি/ฉัน/我/私は/저는/나는/grafiek/tekst/teks/سؤال
/متن/این سؤال/سوال/toutes/propositions/wykres-/wykresu/tekstu/tekstem/grafik/teksten/in piedi/alla fine/en pie
/debout/em pé/al final/à la fin/no fim/na końcu/в конце/với/đề bài/yêu cầu/chỉ/問題文/すべて/すべての/本文
/지문/지문과/본문/글/의/내용/과/와/ประโยค/ข้อความ/deuxième/première/troisième/quatrième/segunda/primera
/tercera/cuarta/prima/seconda/terza/quarta/primeira/terceira/zweite/erste/dritte/vierte/faut/utverždenie
/утверждение/утверждения/утверждением/som/wahl/auswahl/lösungswort/am ende/le choix/scelta/escolha/elección
/wybór/keuze/val/valet/seçim/sự lựa chọn/επιλογή/buscamos/que buscamos/gesuchte/gesucht/cherchée/cercata/ই/টিই
/ত/নম্বর/вариант-/варіант-/opcj-/alternativ-/proposit-/possibilit-/möglichkeit-/seçene-/pilihan-/گزینه-
/বিকল্প-/विकल्प-/aussage-/επιλογ-/answers/respuestas/antworten/réponses/respostas/risposte/ответы/відповіді
/antwoorden/svaren/cevaplar/jawaban lain/các đáp án/option/options/choice/choices/alternative/alternatives
/statement/statements/candidate/candidates/letter/one/ones/possibility/possibilities/answer choice/opción
/opciones/letra/alternativa/alternativas/inciso/posibilidad/option antwort/möglichkeit/aussage/buchstabe
/antwortmöglichkeit/proposition/possibilité/lettre/choix/opção/opções/lettera/opzione/opzioni/possibilità
/affermazione/вариант/варианты/вариантом/вариантов/пункт/буква/варіант/opcja/opcją/odpowiedzi/wariant/optie
/mogelijkheid/alternativ/alternativet/seçenek/seçeneği/şık/şıkkı/şıkkıdır/seçeneğidir/phương án/lựa chọn/câu
/opsi/pilihan/η επιλογή/الخيار/خيار/الاختيار/خیار/گزینه/گزینه‌ی/विकल्प/বিকল্প/অপশন/ข้อ/ตัวเลือก/选项/項/项
/一项/一个/選択肢/もの/の/보기/선택지/것/번/个/號/号/all/every/each/everything/all of/any/any of/alle/jede
/todas/todos/tous/tutte/tutti/все/всі/wszystkie/alla/tüm/bütün/tất cả/semua/όλα/όλες/كل/همه/सभी/সব/ทุก/都/均
/全部/모두/모든/only/the only/single/sole/just/alone/solely/solo/sólo/solamente/única/único/únicamente/nur
/nur noch/einzig/einzige/einzigen/allein/seul/seule/seulement/uniquement/apenas/somente/só/soltanto/unica
/unico/только/лишь/единственный/единственным/лише/тільки/єдиний/tylko/jedyna/jedyną/jedynie/alleen/enige
/slechts/endast/bara/kun/enda/sadece/yalnızca/yalnız/tek/tek başına/duy nhất/hanya/satu-satunya/μόνο/μόνη/فقط
/الوحيد/الوحيدة/सिर्फ/केवल/मात्र/শুধু/শুধুমাত্র/একমাত্র/เท่านั้น/เพียง/เพียงแค่/只/仅/只有/唯一/仅有/だけ/のみ
/唯一の/만/만이/뿐/유일한/오직/하다/합니다/하므로/한/다/이므로/che il/por lo/of these/of the options
/of the choices/among these/among them/lean/i lean/i'd lean/towards/toward/chỉ có/có/qui/que/a que/condiciones
/condizioni/condições/bedingungen/criteria/criterion/requirements/requirement/premises/description/definition
/conditions/the description/the definition/the facts/facts/evidence/the evidence/every condition/texto/texte
/testo/text/enunciado/énoncé/frage/question/pregunta/pergunta/domanda/вопрос/вопроса/вопросу/условию/условия
/yang/adanya/tylko ta/zu/selbst/bei/kommt/infrage/in frage/todas las condiciones/toutes les conditions
/tutte le condizioni/todas as condições/alle bedingungen/题意/题干/条件/所有/全部条件/조건/ค่ะ/ครับ/نفسه/وحده
/وحدها/هنا/این گزینه/the/a/an/of/to the/for/in/on/at/by/with/us/we/i/i'm/i am/it/this/that/these/those/there
/here/them/me/my/our/your/which/as/from/the text/the passage/the question/the condition/the conditions
/both conditions/all conditions/case/process of/elimination/process/final/simply/still/indeed/now/really
/actually/most/more/logical/obvious/likely/probably/most likely/probable/fairly/quite/pretty/confident/sure
/in fact/logically/by process of elimination/by elimination/yes/no,/well/ok/okay/they/they're/they are
/the test/the exam/exam/test/examiners/the examiners/textbook/response/reply/verdict/pick/what/like/looks like
/purposes/the purposes of/el/la/los/las/lo/le/les/l/d/del/al/de/un/una/uno/unos/con/por/por descarte
/por eliminación/descarte/eliminación/se/y/en/más/respuesta final/definitiva/nosotros/nos/ya/así/der/die/das
/den/dem/des/ein/eine/einer/es/wir/uns/als/mit/für/im/in der/am/sicher/noch/wohl/ausschlussverfahren
/im ausschlussverfahren/damit bleibt/hier/am ehesten/le texte/du/au/aux/il/elle/nous/ce/c/ne/n/qu/et/donc bien
/par élimination/élimination/o/os/um/uma/na/do/da/com/eliminação/por exclusão/exclusão/gli/per/per esclusione
/esclusione/e/fine/così/mi/ci/nothing but/none but/no option but/none other than/методом исключения
/метод исключения/нам/нас/из/по/под буквой/методом виключення/że/metodą eliminacji/het/een/over/ons
/door eliminatie/det/ett/vi/eliminering/gjennom/bu/geriye/elimizde/o halde/paling/ini/itu/kita/vậy/ta/thì/được
/nào/này/το/τα/η/ο/οι/τη/την/της/του/με/τις/في/أن/لنا/فإن/ما/که/را/به/با/این/در/को/का/की/के/में/हमारे पास/यह
/ही/और/हो/তাই/এই/টি/টা/মাত্র/的/了/这/该/一/那/本题/题/最/最为/最后/我们/就/则/便/一定/只能/有/はい/が/は/を
/最も/最後に/これ/それ/その/消去法により/消去法で/と/で/に/여기서/가/이/은/는/을/를/가장/결국/로/으로/우리는
/그/즉/ที่/ก็/นี้/ว่า
""",
}


@cache
def meanings() -> dict[str, str]:
    """What each phrase means; one of several meanings is the one that is listed first."""
    known: dict[str, str] = {}
    for meaning, table in PHRASES.items():
        for phrase in table.replace("\n", "/").split("/"):
            known.setdefault(folded_words(phrase), meaning)
    known.pop("", None)
    return known


def meaning_of(word: str) -> str | None:
    """What a word or phrase means, also if only its stem is known: "richtig-"; ``None`` if neither is known."""
    known = meanings()
    if word in known or " " in word:
        return known.get(word)
    return next((known[stem] for size in range(len(word), 3, -1) if (stem := f"{word[:size]}-") in known), None)


def folded_words(text: str) -> str:
    """A text in small letters, without accents, and with one form of each Arabic letter.

    >>> folded_words("Übrig bleibt")
    'ubrig bleibt'
    """
    plain = text.casefold().replace("’", "'")
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", STRIPPED_MARKS.sub("", unicodedata.normalize("NFD", plain)))
        plain = plain.translate(ARABIC_LETTERS)
    return " ".join(plain.split())
